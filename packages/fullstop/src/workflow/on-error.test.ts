import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { terminations } from '../termination/terminations.js';
import { eventsOf, runText } from './workflow.fixture.js';

describe('error routes', () => {
  it.each([
    ['a step', '{name: u, type: convergence, use: "./unit.mjs#contract", on_error: [{to: fix}]}', '', 'u'],
    [
      'a group that goes on without its failures',
      '{name: u, type: convergence, use: "./unit.mjs#contract"}, {name: v, type: set, value: x}',
      'parallel: [{name: p, agents: [u, v], failure_mode: continue_on_error, on_error: [{to: fix}]}]',
      'p',
    ],
  ])('never lead around a pause for a person in %s', async (_, steps, groups, entry) => {
    const text = `
workflow: {name: w, entry_point: ${entry}, hooks: {on_error: "told"}}
agents: [${steps}, {name: fix, type: set, value: "fixed"}]
${groups}
output: {v: "{{ fix.output | default('no') }}"}
`;
    const termination = terminations.humanInterventionRequired({ criteria: ['signed'], approvalRefs: ['sig-1'] });
    const contract = { name: 'contract', kinds: [termination.kind], within: async () => ({ termination }) };
    const result = await runText(text, { files: { 'unit.mjs': '' }, importModule: async () => ({ contract }) });
    expect(result.category).toBe('paused');
    expect(result.termination).toMatchObject({ kind: 'child_failed', child: { name: 'u' }, termination });
    expect(result.history).not.toContain('fix');
  });

  const script = (routes: string): string => `
workflow: {name: w, entry_point: a}
agents:
  - {name: a, type: script, command: no-such-program-here, on_error: ${routes}}
  - {name: fix, type: set, value: "fixed"}
output: {v: "{{ fix.output | default('no') }}"}
`;

  it.each([
    ['the kind', '[{kind: failed, to: fix}]'],
    ['the category', '[{category: [retryable, fatal], to: fix}]'],
    ['the name of the error', '[{error: ExecutionError, to: fix}]'],
    ['the code of the error', '[{error: [SCRIPT_ENOENT], to: fix}]'],
    ['a condition', `[{when: "{{ error.type == 'ExecutionError' and ending.kind == 'failed' }}", to: fix}]`],
    ['nothing but the order', '[{category: retryable, to: $end}, {to: fix}]'],
  ])('match on %s', async (_, routes) => {
    const result = await runText(script(routes));
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'fix' });
    expect(result.output).toEqual({ v: 'fixed' });
    expect(result.history).toEqual(['fix']);
  });

  it('leave a failure that none is meant for', async () => {
    const result = await runText(script('[{kind: time_budget, to: fix}, {error: KeyError, to: fix}]'));
    expect(result.termination).toMatchObject({ kind: 'failed', error: { code: 'SCRIPT_ENOENT' } });
  });

  it('may end the workflow with an output of their own', async () => {
    const result = await runText(script(`[{to: $end, output: {why: "{{ error.message }}"}}]`));
    expect(result.termination.kind).toBe('flow_completed');
    expect(result.output).toEqual({ v: 'no', why: "Script 'a': command not found: 'no-such-program-here'" });
  });

  it('take the explicit end of a sub-workflow, whose ending is in scope', async () => {
    const result = await runText(
      `
workflow: {name: w, entry_point: s}
agents:
  - {name: s, type: workflow, workflow: child.yaml, on_error: [{kind: terminated, to: $end, output: {why: "{{ ending.reason }}", stock: "{{ ending.output.left }}"}}]}
output: {v: "1"}
`,
      {
        files: {
          'child.yaml':
            'workflow: {name: c, entry_point: t}\nagents: [{name: t, type: terminate, status: failed, reason: stock empty, output_template: {left: "0"}}]\n',
        },
      },
    );
    expect(result.output).toEqual({ v: 1, why: 'stock empty', stock: 0 });
  });

  it.each(['accumulate', 'explicit', 'last_only'])(
    'leave the failure in scope of the steps behind them (%s)',
    async (mode) => {
      const result = await runText(`
workflow: {name: w, entry_point: a, context: {mode: ${mode}}}
agents:
  - {name: a, type: script, command: no-such-program-here, on_error: [{to: note}]}
  - {name: note, type: set, value: "{{ error.step }} {{ error.kind }}", routes: [{to: stop}]}
  - {name: stop, type: terminate, status: failed, reason: "{{ error.message }} ({{ ending.kind }})"}
`);
      expect(result.termination).toMatchObject({
        kind: 'terminated',
        status: 'failed',
        reason: "Script 'a': command not found: 'no-such-program-here' (failed)",
      });
      expect(result.observations).toContainEqual(
        expect.objectContaining({ type: 'error_route', from: 'a', to: 'note' }),
      );
    },
  );

  it('leave a step its name', async () => {
    const result = await runText(`
workflow: {name: w, entry_point: a}
agents:
  - {name: a, type: script, command: no-such-program-here, on_error: [{to: error}]}
  - {name: error, type: set, value: mine}
output: {v: "{{ error.output }}"}
`);
    expect(result.output).toEqual({ v: 'mine' });
  });

  it('take the failure of a group and of an agent', async () => {
    const group = await runText(`
workflow: {name: w, entry_point: p}
agents:
  - {name: a, type: script, command: no-such-program-here}
  - {name: b, type: set, value: "1"}
parallel: [{name: p, agents: [a, b], on_error: [{to: $end, output: {e: "{{ error.type }}"}}]}]
`);
    expect(group.output).toEqual({ e: 'ExecutionError' });
    const agent = await runText(
      `
workflow: {name: w, entry_point: m}
agents: [{name: m, prompt: hi, retry: {max_attempts: 1}, on_error: [{kind: provider_failed, to: $end, output: {e: "{{ ending.status }}"}}]}]
`,
      { model: scriptedModel([{ error: { status: 503 } }]) },
    );
    expect(agent.output).toEqual({ e: 503 });
  });

  it('count as a step, so that a loop over a failure ends', async () => {
    const result = await runText(`
workflow: {name: w, entry_point: a, limits: {max_iterations: 3}}
agents: [{name: a, type: script, command: no-such-program-here, on_error: [{to: a}]}]
`);
    expect(result.termination).toMatchObject({ kind: 'max_iterations', limit: 3, used: 3 });
    const events = await eventsOf(result);
    expect(events.filter((type) => type === 'script_failed')).toHaveLength(3);
  });
});
