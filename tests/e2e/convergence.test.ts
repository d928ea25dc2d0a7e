import { blocked, criterion, defineConvergence, suggestor } from 'fullstop/convergence';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { pipeline, using } from 'fullstop/pipeline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';

const workflow = (use: string): string => `workflow: {name: w, entry_point: c}
agents: [{name: c, type: convergence, use: "./module.mjs#${use}"}]
output: {facts: "{{ c.output.facts }}"}
`;
const counting = `suggestors: [suggestor('counting', {
  accepts: ({ facts }) => facts.size < 4,
  execute: ({ facts, propose }) => propose('count', { n: facts.size }),
})]`;
const modules = `import { blocked, criterion, defineConvergence, suggestor } from '${import.meta.resolve('fullstop/convergence')}';
export const counts = defineConvergence({ name: 'counts', ${counting}, budgets: { cycles: 2 } });
const signed = criterion('signed', ({ isSettled }) => isSettled('sig-1') || blocked('not signed', 'sig-1'));
export const signs = defineConvergence({ name: 'signs', suggestors: [], intent: { criteria: [signed] } });
`;

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write({ 'module.mjs': modules, 'count.yaml': workflow('counts'), 'sign.yaml': workflow('signs') });
});
afterEach(() => place.remove());

describe('the convergence of a workflow', () => {
  it('continues with more cycles, as requested', async () => {
    const first = await place.run(['run', 'count.yaml', '--run-id', 'c-1']);
    expect(first.code).toBe(3);
    expect(first.stderr).toContain('fullstop resume c-1 --max-cycles 4');
    const same = await place.run(['resume', 'c-1']);
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('Resume it with --max-cycles above 2')]);
    const more = await place.run(['resume', 'c-1', '--max-cycles', '4']);
    expect([more.code, JSON.parse(more.stdout)]).toEqual([0, { facts: 4 }]);
  });

  it('continues when a person has settled what it waits for', async () => {
    const first = await place.run(['run', 'sign.yaml', '--run-id', 's-1']);
    expect(first.code).toBe(5);
    expect(first.stderr).toContain('fullstop resume s-1 --settled sig-1');
    const wrong = await place.run(['resume', 's-1', '--settled', 'sig-2']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"sig-2", which nobody waits for')]);
    const done = await place.run(['resume', 's-1', '--settled', 'sig-1', '--note', 'on paper', '--by', 'maria']);
    expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { facts: 0 }]);
  });
});

describe('the convergence of another program', () => {
  const signed = criterion('signed', ({ isSettled }) => isSettled('sig-1') || blocked('not signed', 'sig-1'));
  const contract = defineConvergence({ name: 'contract', suggestors: [], intent: { criteria: [signed] } });
  const counts = defineConvergence({
    name: 'counts',
    suggestors: [
      suggestor('counting', {
        accepts: ({ facts }) => facts.size < 4,
        execute: ({ facts, propose }) => propose('count', { n: facts.size }),
      }),
    ],
    budgets: { cycles: 2 },
  });
  const flow = pipeline('flow').stage(
    'count',
    using(counts, () => ({})),
  );

  it('is opened again with what it needs, also inside a pipeline, and its own program continues', async () => {
    const engine = sqliteEngine(place.path('runs.db'));
    await contract.run(undefined, { engine, runId: 'contract-1' });
    await flow.run(undefined, { engine, runId: 'flow-1' });
    const store = ['--store', place.path('runs.db')];
    const settled = await place.run(['resume', 'contract-1', '--settled', 'sig-1', '--note', 'on paper', ...store]);
    const raised = await place.run(['resume', 'flow-1', '--max-cycles', '9', ...store]);
    expect([settled.code, raised.code]).toEqual([0, 0]);
    const worker = engine.worker([contract, flow]);
    const endings = await Promise.all(['contract-1', 'flow-1'].map((runId) => engine.waitForEnding(runId, 2)));
    await worker.stop();
    expect(endings.map(({ termination }) => termination)).toEqual([
      { kind: 'criteria_met', criteria: ['signed'] },
      { kind: 'flow_completed', last: 'count' },
    ]);
    const result = await contract.result('contract-1', { engine });
    expect(result?.settlements).toMatchObject([{ ref: 'sig-1', note: 'on paper' }]);
    await engine.close();
  });
});
