import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Clock } from '../engines/port/clock.js';
import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { exportJournal, importJournal } from '../run/journal/journal-file.js';
import type { StopCondition } from '../stop/condition.js';
import { type EarlierEnding, foldLimits } from '../stop/fold-limits.js';
import type { LoopObservation } from '../stop/observation.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { simulatedClock } from './simulated-clock.js';

/** A run that was recorded once and is a fixture from then on. */
export interface RecordedRun extends Envelope {
  /** Holds the run, and nothing else: `agent.result(runId, { engine })` reads it, `agent.resume` continues it. */
  readonly engine: Engine;
  readonly journal: readonly JournalEntry[];
  /**
   * Executes the last segment anew with the code of today. What the journal holds is not performed again, so a model or tool
   * that is asked nevertheless shows that the code would now act differently.
   */
  replay(definition: RunnableDefinition): Promise<Envelope>;
  /** Where other limits would have ended the run; undefined when nowhere. For runs of agents. */
  whatIf(stopWhen: readonly StopCondition<string>[]): EarlierEnding | undefined;
}

/** The journal of a run as a text for a file, one entry per line: what `fullstop export` writes too. */
export async function saveRun(engine: Engine, runId: string): Promise<string> {
  const lines: string[] = [];
  for await (const line of exportJournal(engine, runId)) lines.push(`${line}\n`);
  return lines.join('');
}

/**
 * Reads the text of a recorded run, checks its journal, hashes included where it has them, and returns its ending with everything to try on it.
 *
 * @example
 * const run = await loadRun(readFileSync('fixtures/too-many-searches.jsonl', 'utf8'));
 * expect(run).toEndWith('max_iterations', { limit: 25 });
 */
export async function loadRun(text: string): Promise<RecordedRun> {
  const lines = text.split('\n');
  const engine = memoryEngine({ clock: clockOf(lines) });
  const { runId } = await importJournal(engine, lines);
  const journal = await engine.journal(runId);
  const ending = await engine.ending(runId);
  if (ending === undefined) {
    throw new FullstopError(
      'INVALID_JOURNAL',
      `The recorded run ${JSON.stringify(runId)} has not ended: its last entry is ${journal.at(-1)?.type}. Save it after its ending.`,
    );
  }
  return {
    ...ending,
    engine,
    journal,
    replay: (definition) => replay(ending, { journal, definition }),
    whatIf: (stopWhen) => foldLimits(observationsOf(journal), stopWhen),
  };
}

/** It is as late as it was when the run ended, however old the file is. */
function clockOf(lines: readonly string[]): Clock {
  const last = lines.findLast((line) => line.trim() !== '');
  const at = /"at":(\d+)/.exec(last ?? '')?.[1];
  return simulatedClock(at === undefined ? undefined : Number(at));
}

/** Endings that came from outside of the body: executing it again says nothing about them. */
const fromOutside: readonly string[] = ['abandoned', 'cancelled'];

async function replay({ runId, termination }: Envelope, given: Replay): Promise<Envelope> {
  const { journal, definition } = given;
  if (fromOutside.includes(termination.kind)) {
    throw notReplayed(runId, definition, `it ended as ${termination.kind}, which came from outside`);
  }
  const ended = journal.findLastIndex(({ type }) => type === 'segment_ended');
  const engine = memoryEngine({ clock: simulatedClock(journal[ended]?.at) });
  await engine.importRun(journal.slice(0, ended));
  const session = await engine.claim(runId, 'replay');
  if (session !== undefined) await definition.execute(session, engine);
  const ending = await engine.ending(runId);
  if (ending !== undefined) return ending;
  const { state = 'unknown' } = (await engine.summary(runId)) ?? {};
  throw notReplayed(runId, definition, `it did not end, and is ${state}`);
}

interface Replay {
  readonly journal: readonly JournalEntry[];
  readonly definition: RunnableDefinition;
}

function notReplayed(runId: string, { name }: RunnableDefinition, why: string): FullstopError {
  return new FullstopError(
    'INVALID_JOURNAL',
    `${name} cannot replay the recorded run ${JSON.stringify(runId)}: ${why}.`,
  );
}

function observationsOf(journal: readonly JournalEntry[]): readonly LoopObservation[] {
  return journal.flatMap((entry) => {
    if (entry.type !== 'observed' || entry.scope !== '') return [];
    const { point, iterations } = entry.data;
    return typeof point === 'string' && typeof iterations === 'number'
      ? [entry.data as unknown as LoopObservation]
      : [];
  });
}
