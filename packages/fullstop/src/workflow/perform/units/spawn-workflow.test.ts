import { expect, test } from 'vitest';
import { memoryEngine } from '../../../engines/memory/memory-engine.js';
import type { JournalEntry } from '../../../engines/port/journal-entry.js';
import { loadWorkflow } from '../../load-workflow.js';
import { workflowFrom, world } from '../../workflow.fixture.js';

const group = (member: string, more = ''): string => `
workflow:
  name: outer
  entry_point: all
agents: []
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    spawn: queue
    max_concurrent: 2
    ${more}
    agent: { name: one, type: workflow, workflow: inner.yaml, input_mapping: { n: '{{ item }}' } }
    routes: [{ to: $end }]
output:
  outputs: '{{ all.outputs | json }}'
${member}`;

const inner = `
workflow:
  name: inner
  entry_point: double
  input: { n: { type: number, required: true } }
agents:
  - { name: double, type: set, value: '{{ workflow.input.n * 2 }}' }
output:
  doubled: '{{ double.output }}'
`;

const gated = `
workflow:
  name: inner
  entry_point: ask
  input: { n: { type: number, required: true } }
agents:
  - name: ask
    type: human_gate
    prompt: 'Go on with {{ workflow.input.n }}?'
    options: [{ label: Yes, value: yes, route: $end }, { label: No, value: no, route: $end }]
output:
  chosen: '{{ ask.output.selected }}'
`;

const hanging = '  - { name: hang, type: wait, duration: 1000s, routes: [{ to: ask }] }\n';

const spawned = (journal: readonly JournalEntry[]): readonly string[] =>
  journal.flatMap((entry) => (entry.type === 'child_spawned' ? [entry.data.runId] : []));

test('members of a group are runs of their own, and their outputs are those of the group', async () => {
  const { engine } = world();
  const workflow = workflowFrom(group(''), { files: { 'inner.yaml': inner } });
  const result = await workflow.run({ items: [1, 2, 3] }, { engine });
  expect(result.termination).toMatchObject({ kind: 'flow_completed' });
  expect(result.output).toEqual({ outputs: [{ doubled: 2 }, { doubled: 4 }, { doubled: 6 }] });
  const ids = spawned(await result.journal());
  expect(ids).toHaveLength(3);
  const child = await workflow.result(ids[1] as string, { engine });
  expect(child).toMatchObject({ output: { doubled: 4 }, history: ['double'] });
  expect(await engine.summary(ids[1] as string)).toMatchObject({ name: 'outer', parent: { scope: 'all[1]' } });
});

test('the questions of spawned runs are asked by the run that spawned them, and answered there', async () => {
  const { engine } = world();
  const workflow = workflowFrom(group(''), { files: { 'inner.yaml': gated } });
  const paused = await workflow.run({ items: [1, 2] }, { engine, runId: 'root' });
  expect(paused.termination).toMatchObject({
    kind: 'gate_pending',
    gates: [{ path: 'all[0]' }, { path: 'all[1]' }],
  });
  const open = await engine.openRequests('root');
  expect(open.map(({ summary }) => summary)).toEqual(['Go on with 1?', 'Go on with 2?']);
  const [first, second] = open.map(({ id }) => id) as [string, string];
  const still = await paused.resume({ answers: { [first]: { decision: 'value', value: 'yes' } } });
  expect(still.termination).toMatchObject({ kind: 'gate_pending', gates: [{ path: 'all[1]' }] });
  const ended = await still.resume({ answers: { [second]: { decision: 'value', value: 'no' } } });
  expect(ended.output).toEqual({ outputs: [{ chosen: 'yes' }, { chosen: 'no' }] });
});

test('a failure stops the other runs where the group fails fast, and a resume continues both', async () => {
  const { engine } = world();
  const text = `
workflow:
  name: inner
  entry_point: work
  limits: { max_iterations: 3 }
  input: { n: { type: number, required: true } }
agents:
  - { name: work, type: set, value: '{{ workflow.input.n }}', routes: [{ to: more, when: '{{ workflow.input.n > 1 }}' }, { to: sleepy }] }
  - { name: more, type: set, value: '1', routes: [{ to: work }] }
  - { name: sleepy, type: wait, duration: 1000s }
output:
  n: '{{ workflow.input.n }}'
`;
  const workflow = workflowFrom(group(''), { files: { 'inner.yaml': text } });
  const failed = await workflow.run({ items: [1, 2] }, { engine, runId: 'root' });
  expect(failed.termination).toMatchObject({
    kind: 'child_failed',
    child: { path: 'all[1]' },
    termination: { kind: 'max_iterations', limit: 3 },
  });
  const [slow = '', loop = ''] = spawned(await failed.journal());
  expect((await engine.waitForEnding(slow, 1)).termination).toMatchObject({ kind: 'cancelled', by: 'parent' });
  const again = await failed.resume({ maxIterations: 5 });
  expect(again.termination).toMatchObject({ kind: 'child_failed', termination: { kind: 'max_iterations', limit: 5 } });
  expect(await engine.summary(loop)).toMatchObject({ segment: 2, kind: 'max_iterations' });
  expect(await engine.summary(slow)).toMatchObject({ segment: 2 });
  expect(spawned(await again.journal())).toEqual([slow, loop]);
});

test('cancelling the run cancels the runs that it has spawned', async () => {
  const engine = memoryEngine();
  const files = {
    'inner.yaml': gated.replace('entry_point: ask', 'entry_point: hang').replace('output:\n', `${hanging}output:\n`),
  };
  const running = workflowFrom(group(''), { files }).run({ items: [1] }, { engine, runId: 'root' });
  await expect.poll(async () => spawned(await engine.journal('root'))).toHaveLength(1);
  const [id = ''] = spawned(await engine.journal('root'));
  await engine.cancel('root', { by: 'operator', reason: 'enough' });
  expect((await running).termination).toMatchObject({ kind: 'cancelled', by: 'operator' });
  expect((await engine.waitForEnding(id, 1)).termination).toEqual({
    kind: 'cancelled',
    by: 'parent',
    reason: 'enough',
  });
});

test('a member that is no workflow is refused with its type', () => {
  const text = group('').replace(/agent: \{.*\}\n/, "agent: { name: one, type: set, value: '{{ item }}' }\n");
  expect(() => loadWorkflow('/w/x.yaml', { readFile: () => text })).toThrow(
    /'one' in group 'all' is of type set; with spawn: queue all members must be of type workflow/,
  );
});
