import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyTermination } from '../termination/kinds.js';
import { analyzeWorkflow } from './analyze-workflow.js';
import { modelOf, type RandomWorkflow, randomWorkflow } from './random-workflow.fixture.js';
import { workflowFrom, world } from './workflow.fixture.js';
import type { Workflow, WorkflowResult } from './workflow.js';

const runs = Number(process.env['FULLSTOP_RANDOM_WORKFLOWS'] ?? 200);

/** The step or group at which a run ended, if the ending has one. */
function placeOf({ termination, observations }: WorkflowResult): string | undefined {
  const ended: AnyTermination = termination;
  switch (ended.kind) {
    case 'flow_completed':
      return ended.last;
    case 'terminated':
      return ended.by;
    case 'no_route':
      return ended.step;
    case 'child_failed':
      return /^[^.[#/]*/.exec(ended.child.path)?.[0];
    case 'max_iterations':
      return observations.findLast(({ type }) => type === 'limit_reached')?.['step'] as string;
    default:
      return undefined;
  }
}

function isListed(workflow: Workflow, result: WorkflowResult): boolean {
  const { kind } = result.termination;
  const status = (result.termination as { readonly status?: unknown }).status;
  const place = placeOf(result);
  return analyzeWorkflow(workflow.loaded).endings.some((ending) => {
    if (ending.kind !== kind || (kind === 'terminated' && ending.status !== status)) return false;
    return ending.steps.length === 0 || place === undefined || ending.steps.includes(place);
  });
}

async function execute(random: RandomWorkflow): Promise<[Workflow, WorkflowResult]> {
  const workflow = workflowFrom(random.text, { lenient: true, model: modelOf(random), files: random.files });
  return [workflow, await workflow.run({}, { engine: world().engine, skipGates: random.skipGates })];
}

describe('the analysis of a workflow', () => {
  it('lists every ending that a run reaches, with its step', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(randomWorkflow, async (random) => {
        const [workflow, result] = await execute(random);
        const { kind } = result.termination;
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        if (!isListed(workflow, result)) throw new Error(`${JSON.stringify(result.termination)} is not listed`);
      }),
      { numRuns: runs },
    );
    // A generator that only ever fails would prove nothing.
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(['flow_completed', 'terminated', 'failed', 'child_failed']),
    );
  }, 300_000);

  it('knows only kinds that a workflow declares', async () => {
    await fc.assert(
      fc.asyncProperty(randomWorkflow, async (random) => {
        const [workflow, result] = await execute(random);
        expect(workflow.kinds).toContain(result.termination.kind);
        expect(result.persisted).toBe(true);
        const endings = (await result.journal()).filter(({ type }) => type === 'segment_ended');
        expect(endings).toHaveLength(1);
      }),
      { numRuns: Math.ceil(runs / 3) },
    );
  }, 300_000);
});

describe('a group and a step of the same name', () => {
  it('are analysed as what they run as: the group', async () => {
    const text = `
workflow: {name: w, entry_point: both}
agents:
  - {name: a, type: set, value: x}
  - {name: b, type: set, value: x}
  - {name: both, type: terminate, status: failed, reason: never}
parallel: [{name: both, agents: [a, b], routes: [{to: $end}]}]
`;
    const workflow = workflowFrom(text, { lenient: true });
    const result = await workflow.run({}, { engine: world().engine });
    expect(result.termination).toMatchObject({ kind: 'flow_completed', last: 'both' });
    const { endings, graph } = analyzeWorkflow(workflow.loaded);
    expect(endings.map(({ kind }) => kind)).toEqual(expect.not.arrayContaining(['terminated']));
    expect(endings.find(({ kind }) => kind === 'flow_completed')?.steps).toEqual(['both']);
    expect(graph.units.get('both')?.type).toBe('parallel');
  });
});
