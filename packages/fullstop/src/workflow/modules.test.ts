import { describe, expect, it } from 'vitest';
import { defineConvergence } from '../convergence/define-convergence.js';
import { fact } from '../convergence/facts/fact.js';
import type { ConvergenceOptions } from '../convergence/options/convergence-options.js';
import { blocked, criterion } from '../convergence/options/criterion.js';
import { structural } from '../convergence/options/invariant.js';
import { suggestor } from '../convergence/options/suggestor.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import type { RunContext } from '../run/run-context.js';
import { createSecrets } from '../run/secrets/secrets.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { runText as run, workflowFrom } from './workflow.fixture.js';
import type { WorkflowResumeOptions } from './workflow.js';

interface Tried {
  readonly wrong: Omit<WorkflowResumeOptions, 'engine'>;
  readonly right: Omit<WorkflowResumeOptions, 'engine'>;
}

const text = (type: string): string => `
workflow: {name: w, entry_point: u, input: {n: {type: number, default: 2}}}
agents: [{name: u, type: ${type}, use: "./unit.mjs#monthEnd", input_mapping: {amount: "{{ workflow.input.n * 2 }}"}}]
output: {v: "{{ u.output.doubled }}"}
`;

/** A pipeline or a convergence as it looks from here. */
const unit = (ending: 'good' | 'bad') => ({
  name: 'month-end',
  kinds: ['natural_end', 'skipped'],
  within: async (context: RunContext, input: { readonly amount: number }) => {
    const doubled = await context.step('double', () => input.amount * 2);
    if (ending === 'bad') return { termination: terminations.criteriaUnmet({ criteria: ['sum'] }) };
    return { termination: terminations.naturalEnd(), output: { doubled } };
  },
});

const runText: typeof run = (source, options) => run(source, { files: { 'unit.mjs': '' }, ...options });

describe('pipelines and convergences of a module', () => {
  it.each(['pipeline', 'convergence'])('run as a step of type %s, with their own ending', async (type) => {
    const urls: string[] = [];
    const importModule = async (url: string) => {
      urls.push(url);
      return { monthEnd: unit('good') };
    };
    const result = await runText(text(type), { importModule });
    expect(result.output).toEqual({ v: 8 });
    expect(new Set(urls)).toEqual(new Set(['file:///w/unit.mjs']));
    const failed = await runText(text(type), { importModule: async () => ({ monthEnd: unit('bad') }) });
    expect(failed.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'criteria_unmet', criteria: ['sum'] },
    });
  });

  it.each([false, true])('seal their secrets in the whole run (alwaysReplay: %s)', async (alwaysReplay) => {
    const key = 'sk-live-0123456789';
    const used: string[] = [];
    const monthEnd = {
      ...unit('good'),
      secrets: createSecrets({ BANK_KEY: key }),
      within: async (context: RunContext) => {
        const said = await context.step('ask', () => `asked with ${key}`);
        await context.step('again', ({ unseal }) => void used.push(unseal(said)));
        return { termination: terminations.naturalEnd(), output: { doubled: said } };
      },
    };
    const engine = memoryEngine({ clock: simulatedClock() });
    const importModule = async () => ({ monthEnd });
    const result = await runText(text('pipeline'), { importModule, run: { engine, alwaysReplay } });
    expect(result.output).toEqual({ v: 'asked with {{secret:BANK_KEY}}' });
    expect(used).toEqual([`asked with ${key}`]);
    expect(JSON.stringify([await result.journal(), result])).not.toContain(key);
  });

  describe('have secrets that are sealed in the whole run', () => {
    const key = 'sk-live-0123456789';
    const secrets = createSecrets({ BANK_KEY: key });
    const says = (more: object = {}) => ({
      ...unit('good'),
      ...more,
      within: async (context: RunContext) => {
        const said = await context.step('ask', () => `asked with ${key}`);
        return { termination: terminations.naturalEnd(), output: { doubled: said } };
      },
    });
    const child = `
workflow: {name: c, entry_point: u}
agents: [{name: u, type: pipeline, use: "./unit.mjs#monthEnd"}]
output: {v: "{{ u.output.doubled }}"}
`;
    const files = { 'child.yaml': child, 'unit.mjs': '', 'late.mjs': '' };
    const importModule = async () => ({ monthEnd: says({ secrets }), late: says() });

    it('where only a sub-workflow uses the module', async () => {
      const outer = `
workflow: {name: w, entry_point: c}
agents: [{name: c, type: workflow, workflow: child.yaml}]
output: {v: "{{ c.output.v }}"}
`;
      const result = await runText(outer, { files, importModule });
      expect(result.output).toEqual({ v: 'asked with {{secret:BANK_KEY}}' });
      expect(JSON.stringify([await result.journal(), result])).not.toContain(key);
    });

    it('also by another process that continues after the sub-workflow', async () => {
      const outer = `
workflow: {name: w, entry_point: c}
agents:
  - {name: c, type: workflow, workflow: child.yaml, routes: [{to: ask}]}
  - {name: ask, type: human_gate, prompt: "Sure?", options: [{label: "Yes", value: "yes", route: late}]}
  - {name: late, type: pipeline, use: "./late.mjs#late"}
output: {v: "{{ late.output.doubled }}"}
`;
      const engine = memoryEngine({ clock: simulatedClock() });
      const paused = await workflowFrom(outer, { files, importModule }).run({}, { engine, runId: 'r' });
      const [open] = await engine.openRequests('r');
      expect(paused.termination.kind).toBe('gate_pending');
      const answers = { [open?.id ?? '']: { decision: 'value', value: 'yes' } as const };
      const ended = await workflowFrom(outer, { files, importModule }).resume('r', { engine, answers });
      expect(ended.output).toEqual({ v: 'asked with {{secret:BANK_KEY}}' });
      expect(JSON.stringify([await ended.journal(), ended])).not.toContain(key);
    });

    it('where the workflow is a stage of a pipeline with secrets of its own', async () => {
      const work = using(workflowFrom(child, { files, importModule }), () => ({}));
      const flow = pipeline('p', { secrets: createSecrets({ OTHER: 'another-value' }) }).stage('a', work);
      const result = await flow.run(undefined, { engine: memoryEngine({ clock: simulatedClock() }) });
      expect(result.outcome).toBe('succeeded');
      const journal = JSON.stringify(await result.journal());
      expect(journal).toContain('{{secret:BANK_KEY}}');
      expect(journal).not.toContain(key);
    });
  });

  it.each(['pipeline', 'convergence'])('see every input of the workflow in explicit context mode: %s', async (type) => {
    const explicit = text(type).replace('name: w,', 'name: w, context: {mode: explicit},');
    const result = await runText(explicit, { importModule: async () => ({ monthEnd: unit('good') }) });
    expect(result.output).toEqual({ v: 8 });
  });

  it('keep to their own limits, which a resume may raise', async () => {
    const clock = simulatedClock();
    const limited = {
      ...unit('good'),
      kinds: ['natural_end', 'time_budget'],
      limits: { timeMs: 1000 },
      within: async (context: RunContext) => {
        await context.sleep('nap', 3000);
        return { termination: terminations.naturalEnd(), output: { doubled: 8 } };
      },
    };
    const engine = memoryEngine({ clock });
    const importModule = async () => ({ monthEnd: limited });
    const first = await runText(text('pipeline'), { importModule, run: { engine } });
    expect(rootCause(first.termination)).toMatchObject({ kind: 'time_budget', limitMs: 1000 });
    expect(await first.resume({ limits: { timeMs: 9000 } })).toMatchObject({ outcome: 'succeeded', output: { v: 8 } });
  });

  it.each<[string, Partial<ConvergenceOptions>, Tried, string]>([
    [
      'cycles',
      { budgets: { cycles: 2 } },
      { wrong: { budgets: { cycles: 2 } }, right: { budgets: { cycles: 9 } } },
      'LIMIT_UNCHANGED',
    ],
    ['facts', { budgets: { facts: 2 } }, { wrong: {}, right: { budgets: { facts: 9 } } }, 'LIMIT_UNCHANGED'],
    ['cost', { budgets: { costUsd: 2 } }, { wrong: {}, right: { budgets: { costUsd: 9 } } }, 'LIMIT_UNCHANGED'],
    [
      'the budget of the workflow',
      { budgets: { costUsd: 2 } },
      { wrong: {}, right: { budgetUsd: 9 } },
      'LIMIT_UNCHANGED',
    ],
    [
      'what is settled',
      { intent: { criteria: [criterion('signed', ({ isSettled }) => isSettled('sig-1') || blocked('no', 'sig-1'))] } },
      { wrong: { settled: ['sig-2'] }, right: { settled: ['sig-1'], note: 'on paper', by: 'maria' } },
      'INVALID_OPTION',
    ],
    [
      'facts that put it right',
      { invariants: [structural('noted', (facts) => facts.size === 0 || facts.has('note'))] },
      { wrong: { facts: [{ key: 1 } as never] }, right: { facts: [fact('note', { text: 'seen' })] } },
      'INVALID_OPTION',
    ],
  ])('go on with %s from a resume of the workflow', async (_, options, { wrong, right }, code) => {
    const counting = suggestor('counting', {
      accepts: ({ facts }) => facts.get('count').length < 4,
      execute: ({ facts, propose, charge }) => {
        charge({ costUsd: 1 });
        propose('count', { n: facts.get('count').length });
      },
    });
    const monthEnd = defineConvergence({
      name: 'month-end',
      suggestors: [counting],
      seed: () => [],
      output: (facts) => ({ doubled: facts.get('count').length }),
      ...options,
    });
    const first = await runText(text('convergence'), { importModule: async () => ({ monthEnd }) });
    expect(first.termination.kind).toBe('child_failed');
    await expect(first.resume(wrong)).rejects.toMatchObject({ code });
    const done = await first.resume(right);
    expect([done.termination, done.output]).toEqual([{ kind: 'flow_completed', last: 'u' }, { v: 4 }]);
  });

  it('take what is for a convergence only where one ended', async () => {
    const long = `
workflow: {name: w, entry_point: a, limits: {max_iterations: 1}}
agents:
  - {name: a, type: script, command: "true", routes: [{to: b}]}
  - {name: b, type: script, command: "true"}
`;
    const first = await runText(long);
    expect(first.termination.kind).toBe('max_iterations');
    const settling = first.resume({ maxIterations: 5, settled: ['sig-1'] });
    await expect(settling).rejects.toThrow(/for a convergence step/);
  });

  it('say what is wrong with a module', async () => {
    const missing = await runText(text('pipeline'), { importModule: async () => ({}) });
    expect(JSON.stringify(missing.termination)).toContain('has no export monthEnd with name, kinds and within');
    const broken = await runText(text('pipeline'), { importModule: () => Promise.reject(new Error('syntax')) });
    expect(JSON.stringify(broken.termination)).toContain('cannot be imported: syntax');
  });
});
