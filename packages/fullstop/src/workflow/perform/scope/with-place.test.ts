import { describe, expect, it } from 'vitest';
import { runText } from '../../workflow.fixture.js';

async function failureOf(text: string): Promise<unknown> {
  const { termination } = await runText(text);
  return termination.kind === 'failed' ? termination.error : termination;
}

describe('a template that fails', () => {
  it('says which step, which key and where in the file', async () => {
    const error = await failureOf(`workflow: {name: w, entry_point: one}
agents:
  - name: one
    type: set
    value: "1"
    routes: [{to: two}]
  - name: two
    type: set
    values:
      good: "1"
      bad: >-
        a text
        with {{ one.output.nope.more }}
output: {v: "1"}
`);
    expect(error).toMatchObject({
      name: 'TemplateError',
      code: expect.stringMatching(/^workflow\.yaml:1[123]:\d+$/),
      message: expect.stringMatching(/^two\.values\.bad at workflow\.yaml:1[123]:\d+: .*nope/s),
    });
  });

  it('of two steps with the same text it names the one that failed', async () => {
    const error = await failureOf(`workflow: {name: w, entry_point: b}
agents:
  - {name: a, type: set, value: "{{ ghost }}"}
  - {name: b, type: set, value: "{{ ghost }}"}
output: {v: "1"}
`);
    expect(error).toMatchObject({ message: expect.stringMatching(/^b\.value at workflow\.yaml:4:37: .*'ghost' is/) });
  });

  it.each([
    ['a plain condition', 'ghost > 1', 'a.routes.0.when at workflow.yaml:2:70: '],
    ['a condition that is a template', '{{ ghost > 1 }}', 'a.routes.0.when at workflow.yaml:2:73: '],
  ])('or %s', async (_, when, start) => {
    const error = (await failureOf(`workflow: {name: w, entry_point: a}
agents: [{name: a, type: set, value: "1", routes: [{to: $end, when: "${when}"}]}]
`)) as { readonly message: string };
    expect(error.message.slice(0, start.length)).toBe(start);
  });

  it('or a final output', async () => {
    const error = await failureOf(`workflow: {name: w, entry_point: a}
agents: [{name: a, type: set, value: "1"}]
output: {report: "{{ a.output.x.y }}"}
`);
    expect(error).toMatchObject({ message: expect.stringMatching(/^output\.report at workflow\.yaml:3:\d+: /) });
  });
});
