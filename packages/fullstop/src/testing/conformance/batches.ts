import { drive } from '../../run/machine/drive.js';
import type { Machine, MachineDecision, MachineObservation } from '../../run/machine/machine.js';
import type { JsonValue } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, type World } from './world.js';

type Seen = readonly MachineObservation[];

/** Performs batches one after the other; it continues with the next when it has seen something of the one before. */
function inBatches(
  batches: readonly Extract<MachineDecision<string>, { type: 'perform' }>[],
): Machine<Seen, string, undefined> {
  const keys = batches.flatMap(({ effects }) => effects.map(({ key }) => key));
  return {
    init: () => [],
    decide: (seen) => {
      const next = batches.find(({ effects }) => effects.every(({ key }) => seen.every((each) => each.key !== key)));
      if (next !== undefined) return next;
      if (seen.length < keys.length) return { type: 'wait' };
      const output = seen.map(({ key, ...each }) =>
        each.type === 'unit' ? [key, each.result.termination.kind] : [key, each.type],
      );
      return { type: 'end', termination: terminations.naturalEnd(), output: output as JsonValue };
    },
    apply: (seen, observation) => [...seen, observation],
  };
}

function defineBatches(world: World, batches: Parameters<typeof inBatches>[0]) {
  return world.define({
    name: 'batches',
    run: (context, input: undefined) =>
      drive({
        machine: inBatches(batches),
        context,
        input,
        performer: {
          step: (key) => world.effect(key, key)(),
          unit: async (key, unit) => {
            if (key === 'asks') await unit.wait({ id: 'ok', type: 'approval' });
            if (key === 'hangs') await unit.step('hang', () => new Promise(() => undefined));
            await unit.step(key, () => {
              world.done.push(key);
              if (key === 'fails') throw new Error('broken');
            });
            return { termination: terminations.naturalEnd(), also: [] };
          },
        },
      }),
  });
}

const unit = (key: string) => ({ type: 'unit', key, plan: key }) as const;
const step = (key: string) => ({ type: 'step', key, plan: key }) as const;

/** A unit that waits for a person does not hold up its parent machine, and the journal says so. */
async function waitingUnit(world: World): Promise<void> {
  const run = defineBatches(world, [
    { type: 'perform', effects: [unit('asks'), step('beside')] },
    { type: 'perform', effects: [step('after'), unit('too')] },
  ]);
  const paused = await run.run(undefined, { engine: world.engine, runId: 'waiting' });
  checkKind(paused.termination, 'interaction_pending');
  checkEqual([...world.done].sort(), ['after', 'beside', 'too'], 'what was done while a unit waited');
  await world.restart();
  const answers = { ok: { decision: 'approve' } } as const;
  const ended = await run.resume('waiting', { engine: world.engine, answers });
  const order = [
    ['beside', 'value'],
    ['after', 'value'],
    ['too', 'unit'],
    ['asks', 'unit'],
  ];
  checkEqual(
    (ended.output as readonly (readonly string[])[]).map(([key]) => key),
    order.map(([key]) => key),
    'the order of the observations',
  );
  checkEqual(world.done.length, 4, 'how much was done');
}

async function failFast(world: World): Promise<void> {
  const effects = [unit('hangs'), unit('fails'), unit('queued')];
  const run = defineBatches(world, [{ type: 'perform', effects, concurrency: 2, failFast: true }]);
  const result = await run.run(undefined, { engine: world.engine, runId: 'stopped' });
  checkEqual(
    result.output,
    [
      ['hangs', 'cancelled'],
      ['fails', 'failed'],
      ['queued', 'not_started'],
    ],
    'what the machine saw',
  );
  check((await world.typesOf('stopped')).includes('batch_stopped'), 'the journal does not say that the batch stopped');
}

export const batchCases: readonly ConformanceCase[] = [
  conformanceCase('continues a machine while one of its units waits for a person', waitingUnit),
  conformanceCase('stops a batch at its first failure', failFast),
];
