import { describe, expect, it } from 'vitest';
import { baseKinds } from '../../agent/kinds.js';
import { type Behaviour, behaviours, elsewhere, type FileKind } from './behaviours.fixture.js';
import { type Endings, plainRun, type Told, ways, waysOfFile, waysOfModule } from './ways.fixture.js';

const all = Object.entries(behaviours).flatMap(([kind, named]) =>
  Object.entries(named).map(([name, behaviour]) => ({ kind, name, behaviour })),
);

/** The ending of whatever an agent was a part of follows from the agent's alone. */
function expectAround({ around }: Endings, plain: Told, where: string): void {
  if (around === undefined) return;
  const { category, outcome } = plain;
  if (outcome === 'succeeded' || outcome === 'skipped') {
    expect(around, where).toMatchObject({ termination: { kind: 'flow_completed' }, outcome: 'succeeded' });
  } else if (outcome === 'paused' || outcome === 'cancelled') {
    expect(around, where).toEqual(plain);
  } else {
    expect(around, where).toMatchObject({
      termination: { kind: 'child_failed', child: { name: 'agent' } },
      category,
      outcome,
      open: true,
      tag: 'child_failed',
    });
  }
}

describe.each(all)('$kind: $name', ({ kind, behaviour }) => {
  const { file }: Behaviour = behaviour;
  const inWorkflow = { ...(isBuiltIn(kind) && waysOfModule), ...(file !== undefined && waysOfFile(file)) };
  const others = { ...ways, ...inWorkflow };

  it('ends with that kind in a plain run', async () => {
    expect(await plainRun(behaviour)).toMatchObject({ termination: { kind } });
  });

  it.each(Object.keys(others))('ends the same %s', async (way) => {
    const plain = await plainRun(behaviour);
    for (const [where, endings] of (await others[way]?.(behaviour)) ?? []) {
      expect(endings.agent, where).toEqual(plain);
      expectAround(endings, plain, where);
    }
  });
});

function isBuiltIn(kind: string): boolean {
  return !kind.includes('.');
}

describe('a kind that a workflow does not know', () => {
  const own = all.filter(({ kind }) => !isBuiltIn(kind));

  it.each(own)('fails the step that ends so, and says why: $kind', async ({ behaviour }) => {
    for (const way of Object.values(waysOfModule)) {
      for (const [where, { agent, around }] of await way(behaviour)) {
        expect(agent.termination, where).toMatchObject({ kind: 'failed', error: { code: 'UNREGISTERED_TERMINATION' } });
        expect(around, where).toMatchObject({ termination: { kind: 'child_failed' }, category: 'fatal' });
      }
    }
  });
});

describe('the behaviours', () => {
  it('have one in a workflow file for every kind that an agent there can end with', () => {
    const added: readonly FileKind[] = [
      'halted',
      'submitted',
      'interaction_pending',
      'gate_expired',
      'schema_validation',
      'structured_output_exhausted',
    ];
    const inFiles = new Set(all.filter(({ behaviour }) => behaviour.file !== undefined).map(({ kind }) => kind));
    const wanted = [...baseKinds, ...added].filter((kind) => !(kind in elsewhere));
    expect(wanted.filter((kind) => !inFiles.has(kind))).toEqual([]);
  });
});
