import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;

beforeEach(() => {
  place = new Place();
  place.write(workflows);
});

afterEach(() => place.remove());

const busy = ['run', 'ask.yaml', '--scripted', 'busy.script.yaml', '--run-id', 'r1'] as const;

/** The commands that a text says to copy. */
function suggested(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/fullstop ((?:resume|retry|answer|cancel) .*)$/gm)].map(([, words = '']) =>
    words.split(' '),
  );
}

describe('a resumed run', () => {
  it('has the script that it was started with', async () => {
    expect((await place.run(busy)).code).toBe(4);
    const { code, stdout } = await place.run(['resume', 'r1']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { text: 'at last' }]);
  });

  it('has that script from its beginning where it starts anew, and passes it on', async () => {
    await place.run(busy);
    expect((await place.run(['retry', 'r1', '--run-id', 'r2'])).code).toBe(4);
    expect((await place.run(['resume', 'r2'])).code).toBe(0);
  });

  it('takes another script where one is given, and keeps to that', async () => {
    await place.run(busy);
    const { stdout } = await place.run(['retry', 'r1', '--scripted', 'good.script.yaml', '--run-id', 'r2']);
    expect(JSON.parse(stdout)).toEqual({ text: 'Hello' });
    expect((await place.run(['retry', 'r2'])).stdout).toBe(stdout);
  });

  it('has it in a worker, too', async () => {
    place.write({ 'gate.yaml': gate });
    await place.run(['run', 'gate.yaml', '--scripted', 'good.script.yaml', '--run-id', 'r3']);
    expect((await place.run(['answer', 'r3', '--choose', 'go', '--no-run'])).code).toBe(0);
    await place.run(['worker', '--until-idle']);
    expect(await place.json(['why', 'r3', '--json'])).toMatchObject({ ending: { kind: 'flow_completed' } });
  });

  it('is refused in words where its script is gone', async () => {
    await place.run(busy);
    rmSync(place.path('busy.script.yaml'));
    const { code, stderr } = await place.run(['resume', 'r1']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/The script .*busy\.script\.yaml, which answered for this run, is no longer there\./);
  });

  it('has its inputs, but for those that are given', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'r1']);
    expect((await place.run(['retry', 'r1'])).code).toBe(1);
    const { code, stdout } = await place.run(['retry', 'r1', '-i', 'age=5']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { age: 5 }]);
  });

  it.each([
    { args: ['run', 'ask.yaml', '--scripted', 'busy.script.yaml'], codes: [0, 4] },
    { args: ['run', 'loop.yaml'], codes: [3, 3] },
    { args: ['run', 'refund.yaml', '-i', 'age=120'], codes: [1] },
    { args: ['run', 'refund.yaml', '-i', 'age=60'], codes: [0, 2] },
  ])('does what it says when its suggestions are copied: $args', async ({ args, codes }) => {
    const { stderr } = await place.run(args);
    const commands = suggested(stderr);
    expect(commands).toHaveLength(codes.length);
    for (const [index, command] of commands.entries()) {
      const { code, stderr: said } = await place.run(command);
      expect([command, code, code === codes[index] ? '' : said]).toEqual([command, codes[index], '']);
    }
  });
});

const gate = `workflow: {name: gated, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: Go on?
    answerers: [tester]
    options: [{label: Go, value: go, route: writer}]
  - {name: writer, prompt: Write something, routes: [{to: $end}]}
output: {text: "{{ writer.output.result }}"}
`;

describe('a gate with names', () => {
  it('takes no answer of anyone else', async () => {
    place.write({ 'gate.yaml': gate });
    await place.run(['run', 'gate.yaml', '--scripted', 'good.script.yaml', '--run-id', 'r1']);
    const other = await place.run(['answer', 'r1', '--choose', 'go', '--by', 'eve']);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('tester');
    const { code, stdout } = await place.run(['answer', 'r1', '--choose', 'go']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { text: 'Hello' }]);
  });
});

describe('inputs', () => {
  it('are read as the file declares them, and refused in words', async () => {
    const many = await place.run(['run', 'refund.yaml', '-i', 'age=many']);
    expect([many.code, many.stderr]).toEqual([2, 'error The input "age" must be a number, not "many".\n']);
    const none = await place.run(['run', 'refund.yaml', '-i', 'agee=3']);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('warning the file declares no input "agee" (did you mean "age"?)');
    expect(none.stderr).toContain('Pass them: -i age=NUMBER');
  });
});
