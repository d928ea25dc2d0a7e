import type { AnyTermination } from 'fullstop';
import type { CycleObservation } from '../journal/cycle-observation.js';
import { dollars, duration, grouped } from '../journal/number-text.js';
import { spentBy, type UnitNode, workflowObservations } from '../journal/unit-tree.js';
import { spentCost } from '../journal/value-text.js';
import { stepDone } from '../journal/workflow-observation.js';
import type { Counter } from './explanation.js';
import { lastLoopObservation } from './observation.js';

/** How far everything had been counted in a unit when it ended, with the limits that are known from what ended it. */
export function countersOf(unit: UnitNode, causes: readonly AnyTermination[]): readonly Counter[] {
  const last = lastLoopObservation(unit.observations);
  const limits = limitsIn(causes);
  if (last !== undefined) {
    const { iterations, toolCalls, usage, costUsd, estimated, activeMs } = last;
    return [
      counter('iterations', grouped(iterations), limits['iterations']),
      ...(toolCalls > 0 || limits['tool calls'] !== undefined
        ? [counter('tool calls', grouped(toolCalls), limits['tool calls'])]
        : []),
      ...(usage.totalTokens > 0 ? [counter('tokens', grouped(usage.totalTokens), limits['tokens'])] : []),
      ...(costUsd === 0 ? [] : [counter('cost', costUsd === null ? '?' : dollars(costUsd, estimated), limits['cost'])]),
      counter('active time', duration(activeMs), limits['active time']),
    ];
  }
  if (unit.merges.length > 0) return cycleCounters(unit, causes);
  const used = usedIn(causes);
  const steps = workflowSteps(unit);
  return [
    ...(steps === undefined ? [] : [counter('steps', grouped(steps.used), grouped(steps.limit))]),
    ...Object.entries(limits).flatMap(([name, limit]) => {
      const amount = used[name];
      return amount === undefined || (name === 'steps' && steps !== undefined) ? [] : [counter(name, amount, limit)];
    }),
  ];
}

/** The counters of a convergence after its last merge. */
function cycleCounters(unit: UnitNode, causes: readonly AnyTermination[]): readonly Counter[] {
  const limits = limitsIn(causes);
  const used = usedIn(causes);
  const { cycle, facts } = unit.merges.at(-1) as CycleObservation;
  const spent = spentBy(unit);
  const { tokens } = spent;
  const cost = spentCost(spent);
  const time = used['active time'];
  return [
    counter('cycles', grouped(cycle), limits['cycles']),
    counter('facts', grouped(facts), limits['facts']),
    ...(tokens > 0 ? [counter('tokens', grouped(tokens), limits['tokens'])] : []),
    ...(cost === '' ? [] : [counter('cost', cost, limits['cost'])]),
    ...(time === undefined ? [] : [counter('active time', time, limits['active time'])]),
  ];
}

function counter(name: string, used: string, limit?: string): Counter {
  return { name, used, ...(limit !== undefined && { limit }) };
}

/** How many steps a workflow had made, as it records itself. */
function workflowSteps(unit: UnitNode): { readonly used: number; readonly limit: number } | undefined {
  const last = workflowObservations(unit)
    .flatMap(({ data }) => stepDone(data) ?? [])
    .at(-1);
  return last && { used: last.iterations, limit: last.limit };
}

function limitsIn(causes: readonly AnyTermination[]): Readonly<Record<string, string>> {
  return Object.fromEntries(causes.flatMap((cause) => pair(cause, 'limit')));
}

function usedIn(causes: readonly AnyTermination[]): Readonly<Record<string, string>> {
  return Object.fromEntries(causes.flatMap((cause) => pair(cause, 'used')));
}

function pair(cause: AnyTermination, which: 'limit' | 'used'): readonly (readonly [string, string])[] {
  switch (cause.kind) {
    case 'max_iterations':
      return [[cause.unit === 'iteration' ? 'iterations' : `${cause.unit}s`, grouped(cause[which])]];
    case 'max_tool_calls':
      return [['tool calls', grouped(cause[which])]];
    case 'token_budget':
      return [['tokens', grouped(cause[which])]];
    case 'cost_budget':
      return [['cost', which === 'limit' ? dollars(cause.limitUsd) : dollars(cause.usedUsd, cause.estimated)]];
    case 'time_budget':
      return [['active time', duration(which === 'limit' ? cause.limitMs : cause.elapsedMs)]];
    case 'cycle_budget':
      return [['cycles', grouped(cause[which])]];
    case 'fact_budget':
      return [['facts', grouped(cause[which])]];
    default:
      return [];
  }
}
