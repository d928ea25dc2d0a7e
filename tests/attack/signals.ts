import { existsSync } from 'node:fs';
import type { Envelope } from '../../packages/fullstop/src/engines/port/envelope.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import { type Finished, Place } from '../e2e/binary.js';
import type { Attack, AttackOptions, AttackResult } from './attack.js';

const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Kind = keyof typeof codes;
const kinds = Object.keys(codes) as readonly Kind[];

/** Short enough that a signal meets its start and its end as often as its middle. */
const quick = `workflow: {name: quick, entry_point: one}
agents:
  - {name: one, type: set, value: x, routes: [{to: two}]}
  - {name: two, type: script, command: echo, args: ['{"y": 1}'], routes: [{to: three}]}
  - {name: three, type: wait, duration: 50ms, routes: [{to: $end}]}
output: {x: "{{ one.output }}"}
`;

/** Sends signals to the program at random instants, and compares its exit code and output with what the store says. */
export const signals: Attack = {
  name: 'signals',
  of: 'signals',
  short: 24,
  long: 500,
  perform,
};

async function perform({ seed, count, onProgress }: AttackOptions): Promise<AttackResult> {
  const random = seededRandom(seed);
  // Before a run was started; the run ended as cancelled by the signal; it had ended, or the program was gone.
  const counts = { signals: 0, before: 0, cancelled: 0, after: 0 };
  const failures: string[] = [];
  const place = new Place();
  try {
    place.write({ 'quick.yaml': quick });
    let lifetime = await livesFor(place, 'warm-up');
    for (let index = 0; index < count; index += 1) {
      // The machine is not always as busy: the range follows how long the program lives now.
      if (index % 20 === 0) lifetime = await livesFor(place, `measure-${index}`);
      const kind = kinds[Math.floor(random() * kinds.length)] as Kind;
      const runId = `run-${index}`;
      const { child, finished } = place.start(['run', 'quick.yaml', '--run-id', runId]);
      const timer = setTimeout(() => child.kill(kind), random() * lifetime * 1.1);
      const told = await finished;
      clearTimeout(timer);
      counts.signals += 1;
      try {
        counts[await checkProgram(place, { runId, kind, told, killedBy: child.signalCode })] += 1;
      } catch (error) {
        failures.push(`seed ${seed}: ${String(error)}`);
      }
      onProgress?.(index + 1);
    }
    return { counts, failures };
  } finally {
    place.remove();
  }
}

async function livesFor(place: Place, runId: string): Promise<number> {
  const start = performance.now();
  await place.run(['run', 'quick.yaml', '--run-id', runId]);
  return performance.now() - start;
}

interface Program {
  readonly runId: string;
  readonly kind: Kind;
  readonly told: Finished;
  readonly killedBy: string | null;
}

async function checkProgram(place: Place, program: Program): Promise<'after' | 'before' | 'cancelled'> {
  const { runId, kind, told, killedBy } = program;
  const refuse = (why: string): Error => new Error(`${kind} to ${runId}: ${why} ${JSON.stringify({ told, killedBy })}`);
  const { state, ending } = await readStore(place, runId);
  if (state === undefined) {
    // Before its first instruction a program has no handler: the signal itself ends it, which shells report in the same way.
    if (told.code !== codes[kind] && killedBy !== kind) throw refuse('no run was started, but it says otherwise.');
    return 'before';
  }
  if (ending === undefined) throw refuse(`the run was left as ${state}.`);
  if (told.code !== codeOf(ending, kind)) throw refuse(`the run ended as ${ending.termination.kind}.`);
  const output = ending.outcome === 'succeeded' ? '{\n  "x": "x"\n}\n' : '';
  if (told.stdout !== output) throw refuse(`the output of ${ending.termination.kind} is not there.`);
  return ending.termination.kind === 'cancelled' ? 'cancelled' : 'after';
}

/** The only endings that this workflow can have. */
function codeOf({ outcome, termination }: Envelope, kind: Kind): number | undefined {
  if (outcome === 'succeeded') return 0;
  const isCancelled = termination.kind === 'cancelled' && termination.by === 'signal' && termination.reason === kind;
  return isCancelled ? codes[kind] : undefined;
}

async function readStore(place: Place, runId: string) {
  const file = place.path('.fullstop/runs.db');
  if (!existsSync(file)) return { state: undefined, ending: undefined };
  const engine = sqliteEngine(file);
  try {
    return { state: (await engine.summary(runId))?.state, ending: await engine.ending(runId) };
  } finally {
    await engine.close();
  }
}
