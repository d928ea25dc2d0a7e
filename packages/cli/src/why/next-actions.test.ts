import type { AnyTermination, Envelope, OpenRequest } from 'fullstop';
import type { RunSummary } from 'fullstop/engine';
import { describe, expect, it } from 'vitest';
import { answerAction, nextActions } from './next-actions.js';

function commandsAfter(termination: AnyTermination, isWorkflow: boolean): readonly (string | undefined)[] {
  const ending = { runId: 'r', termination, category: 'capacity', open: true, nextAction: 'Raise it.' };
  const actions = nextActions({
    summary: { runId: 'r', state: 'ended' } as RunSummary,
    ending: ending as Envelope,
    requests: [],
    isWorkflow,
  });
  return actions.map(({ command }) => command);
}

describe('nextActions', () => {
  it('does not call a run running whose owner shows no sign of life', () => {
    const actionsOf = (summary: Partial<RunSummary>) =>
      nextActions({
        summary: { runId: 'r', state: 'running', ...summary } as RunSummary,
        ending: undefined,
        requests: [],
        isWorkflow: true,
      });
    expect(actionsOf({})[0]?.text).toBe('It is running; to watch it');
    expect(actionsOf({ silentSince: 1 })[0]).toEqual({
      text: 'To see whether it continues',
      command: 'fullstop events r --follow',
    });
  });

  it('continues a run whose gate nobody answered in time', () => {
    const gate = { gateId: 'g', path: 'g', summary: 'Sure?' };
    const pending = (deadline: string, requests: readonly OpenRequest[], isWorkflow = true) => {
      const termination: AnyTermination = { kind: 'gate_pending', gates: [{ ...gate, deadline }] };
      const ending = { runId: 'r', termination, category: 'paused', open: true, nextAction: 'Answer it.' };
      const summary = { runId: 'r', state: 'parked' } as RunSummary;
      return nextActions({ summary, ending: ending as Envelope, requests, isWorkflow });
    };
    const cancel = { text: 'To cancel it', command: 'fullstop cancel r' };
    const passed = 'The time for g has passed';
    expect(pending('2026-01-01T00:00:00.000Z', [])).toEqual([
      { text: `${passed}; to continue as the file says`, command: 'fullstop resume r' },
      cancel,
    ]);
    expect(pending('2026-01-01T00:00:00.000Z', [], false)).toEqual([
      { text: `${passed}. A worker of its own program continues it` },
      cancel,
    ]);
    expect(pending('9999-01-01T00:00:00.000Z', [])).toEqual([cancel]);
  });

  it('raises a limit of the run itself', () => {
    const steps = { kind: 'max_iterations', limit: 5, used: 5, unit: 'step' } as const;
    expect(commandsAfter(steps, true)).toEqual(['fullstop resume r --max-iterations 10', 'fullstop retry r']);
    expect(commandsAfter(steps, false)).toEqual(['fullstop resume r --steps 10', undefined]);
  });

  it('gives more than was used, also where that was far over the limit', () => {
    const cost = { kind: 'cost_budget', limitUsd: 0.02, usedUsd: 0.09 } as const;
    expect(commandsAfter(cost, true)[0]).toBe('fullstop resume r --cost 0.18');
  });

  it('sends to the file for what comes from there', () => {
    const error = { name: 'TemplateError', message: "'nope' is undefined" };
    const template = { kind: 'failed', origin: 'step', errorClass: 'configuration', error } as const;
    const calls = { kind: 'max_tool_calls', limit: 5, used: 5 } as const;
    const inside: AnyTermination = { kind: 'child_failed', child: { name: 'a', path: 'a' }, termination: calls };
    for (const ending of [template, { kind: 'no_route', step: 'a', output: {} } as const, calls, inside])
      expect(commandsAfter(ending, true)).toEqual(['fullstop resume r --use-current', 'fullstop retry r']);
    expect(commandsAfter(calls, false)[0]).toBe('fullstop resume r --max-tool-calls 10');
  });

  it('asks for another model where the one of the file is not available', () => {
    const error = { name: 'ProviderError', message: 'The file asks for copilot.' };
    const missing = { kind: 'failed', origin: 'step', errorClass: 'configuration', error } as const;
    expect(commandsAfter(missing, true)[0]).toBe('fullstop resume r --provider NAME --model MODEL');
  });

  it('asks for a price where that is missing, and says how to do without', () => {
    const failedWith = (name: string) => {
      const error = { name, message: 'no price', code: 'UNKNOWN_PRICE' };
      return { kind: 'failed', origin: 'step', errorClass: 'configuration', error } as const;
    };
    expect(commandsAfter(failedWith('ProviderError'), true)).toEqual([
      'fullstop resume r --use-current',
      'fullstop resume r --allow-unknown-prices',
      'fullstop retry r',
    ]);
    expect(commandsAfter(failedWith('FullstopError'), true)).toEqual([
      'fullstop resume r --allow-unknown-prices',
      'fullstop retry r',
    ]);
  });

  it('asks for the key where there is none', () => {
    const missing = { kind: 'provider_auth', provider: 'anthropic', message: 'set ANTHROPIC_API_KEY' } as const;
    expect(commandsAfter(missing, true)).toEqual(['fullstop resume r', 'fullstop retry r']);
  });

  it('raises the limit of an agent of a workflow, or tells it what to do differently', () => {
    const turns = { kind: 'max_iterations', limit: 5, used: 5, unit: 'iteration' } as const;
    const loop = { kind: 'loop_detected', cycle: [], repeats: 3 } as const;
    const inside: AnyTermination = { kind: 'child_failed', child: { name: 'a', path: 'a' }, termination: loop };
    expect(commandsAfter(turns, true)[0]).toBe('fullstop resume r --max-iterations 10');
    expect(commandsAfter(inside, true)[0]).toBe('fullstop resume r --guidance "WHAT TO DO DIFFERENTLY"');
  });

  it('raises the budgets of a convergence, and says that something is settled', () => {
    const cycles = { kind: 'cycle_budget', limit: 3, used: 3 } as const;
    const inside: AnyTermination = { kind: 'child_failed', child: { name: 'a', path: 'a' }, termination: cycles };
    expect(commandsAfter(inside, true)[0]).toBe('fullstop resume r --max-cycles 6');
    expect(commandsAfter({ kind: 'fact_budget', limit: 50, used: 50 }, false)[0]).toBe(
      'fullstop resume r --max-facts 100',
    );
    const signature = {
      kind: 'human_intervention_required',
      criteria: ['signed', 'sealed'],
      approvalRefs: ['sig 1'],
    } as const;
    const waiting: AnyTermination = { kind: 'child_failed', child: { name: 'a', path: 'a' }, termination: signature };
    const actions = nextActions({
      summary: { runId: 'r', state: 'ended' } as RunSummary,
      ending: { runId: 'r', termination: waiting, category: 'paused', open: true } as Envelope,
      requests: [],
      isWorkflow: true,
    });
    expect(actions).toEqual([
      { text: 'When it is settled', command: "fullstop resume r --settled 'sig 1'" },
      { text: 'To cancel it', command: 'fullstop cancel r' },
    ]);
  });

  it('answers a question with a text, never with a word for skipping it', () => {
    const options = [{ value: '__skip__', label: 'Skip' }];
    const request = { id: 'ask.name', type: 'input', path: 'ask', openedAt: 0, options } as const;
    expect(answerAction('r', request).command).toBe('fullstop answer r ask.name --value TEXT');
  });

  it('answers for a tool that is performed outside with JSON, unless only a text fits', () => {
    const request = { id: 'c1', type: 'client_tool', path: '', openedAt: 0 } as const;
    expect(answerAction('r', request).command).toBe('fullstop answer r c1 --value-json JSON');
    expect(answerAction('r', { ...request, schema: { type: 'string' } }).command).toBe(
      'fullstop answer r c1 --value TEXT',
    );
  });
});
