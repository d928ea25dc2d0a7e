import { FencedError, type OutboxItem } from '../../engines/port/engine.js';
import type { Envelope, StoredEnvelope } from '../../engines/port/envelope.js';
import type { EntryData } from '../../engines/port/journal-entry.js';
import type { UnitUsage } from '../../engines/port/usage.js';
import { fit } from '../../termination/codec/fit.js';
import { defaultLimits, firstNonJson, measure } from '../../termination/codec/measure.js';
import type { Ending } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { builtIns, type TerminationRegistry } from '../../termination/registry.js';
import { terminations } from '../../termination/terminations.js';
import { validate } from '../../termination/validate.js';
import type { UnitResult } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import type { Unit } from '../unit/unit.js';
import { envelopeOf } from './envelope.js';

/** How long a run whose ending could not be kept is left alone. */
const retryMs = 1000;

// The only file that writes terminations. What comes in may be anything; what goes out is always exactly one valid ending.

/** A unit inside a run, seen from its parent. */
export interface UnitSubject {
  readonly execution: Execution;
  readonly parent: Unit;
  readonly ordinal: number;
  readonly name: string;
  /** Written where it has no output. */
  readonly used: UnitUsage | undefined;
  /** True when it was stopped with its batch, and no resume continues it. */
  readonly isStopped: boolean;
}

/**
 * Writes the ending of an inline unit, and returns it with its time. It shares the next commit: a crash before that reaches
 * the same ending again.
 */
export function concludeUnit(
  subject: UnitSubject,
  result: UnitResult,
): { readonly result: UnitResult; readonly at: number } {
  const { execution, parent, ordinal, name, isStopped } = subject;
  const sound = sealResult(execution, result);
  const { termination, also, output } = sound;
  const used = output === undefined ? subject.used : undefined;
  const ended = used === undefined ? sound : { ...sound, used };
  if (execution.state.closed) return { result: ended, at: parent.now };
  const facts = ownFacts(termination, execution.settings.registry);
  // Spelled out for the units that most runs have: what is made of spreads costs several times as much.
  const isPlain = facts === undefined && also.length === 0 && output !== undefined && !isStopped;
  const data = isPlain
    ? { termination, output }
    : {
        termination,
        ...(also.length > 0 && { also }),
        ...(output !== undefined && { output }),
        ...(used !== undefined && { used }),
        ...(isStopped && ({ stopped: true } as const)),
        ...facts,
      };
  const at = execution.journal.append<'unit_ended'>({
    type: 'unit_ended',
    scope: parent.scope,
    ordinal,
    key: name,
    data,
  });
  return { result: ended, at };
}

/** The facts that readers cannot know about a kind that is not built in. A definition that throws adds none. */
function ownFacts(
  termination: Ending,
  registry: TerminationRegistry,
): Pick<EntryData['unit_ended'], 'outcome' | 'tag' | 'dialects'> | undefined {
  if (builtIns.find(termination.kind) !== undefined) return undefined;
  try {
    const { outcome: outcomeOf, tag, dialects } = registry.get(termination.kind);
    return { outcome: outcomeOf(termination), tag, ...(Object.keys(dialects).length > 0 && { dialects }) };
  } catch {
    return undefined;
  }
}

/** Writes the ending of a segment: persists first, then notifies. Never throws, whatever the result is. */
export async function concludeRun(
  execution: Execution,
  result: UnitResult,
  outboxOf: (envelope: StoredEnvelope) => readonly OutboxItem[],
): Promise<Envelope> {
  const { session } = execution;
  const envelope = envelopeOf(execution, sealResult(execution, result));
  const draft = { type: 'segment_ended', scope: '', ordinal: -1, at: envelope.endedAt, data: { envelope } } as const;
  try {
    const { headHash } = await session.conclude(draft, safeOutbox(envelope, outboxOf));
    const written = { ...envelope, persisted: true, ...(headHash !== undefined && { headHash }) };
    execution.journal.announcements.add(draft);
    execution.journal.announcements.notify();
    return written;
  } catch (error) {
    const ours = { ...envelope, persisted: false };
    if (error instanceof FencedError) return endingOfOwner(execution, ours);
    await releaseRun(execution);
    return ours;
  }
}

/** Another owner has the run by now: its ending is the run's ending, and ours never happened. */
export async function endingOfOwner({ engine, session }: Execution, ours: Envelope): Promise<Envelope> {
  try {
    return await engine.waitForEnding(session.identity.runId, session.segment);
  } catch {
    // The store is gone altogether: ours is at least true of this process, and says that it was not kept.
    return ours;
  }
}

/** Nothing was kept, so the segment has no ending yet: the next owner of the run reaches one. */
async function releaseRun({ engine, session }: Execution): Promise<void> {
  try {
    await session.park(engine.clock.now() + retryMs);
  } catch {
    // A store that cannot even do this keeps the run until its owner counts as gone.
  }
}

/** Sound, and without the values of secrets. Sealing can only come second: before it is sound, a result may be anything. */
function sealResult(execution: Execution, result: UnitResult): UnitResult {
  const { registry, secrets } = execution.settings;
  const sound = soundResult(result, registry);
  return secrets === undefined ? sound : soundResult(secrets.seal(sound), registry);
}

/** Makes the endings of a result sound, so that they can be written and read back. */
export function soundResult(result: UnitResult, registry: TerminationRegistry): UnitResult {
  const { output, notResumable } = result;
  const also = result.also.map((loser) => soundTermination(loser, registry));
  return {
    termination: soundTermination(result.termination, registry),
    also,
    ...(output !== undefined && { output }),
    ...(notResumable !== undefined && { notResumable }),
  };
}

/** The termination itself if it can be written, cut down if it is too large, else a failure that says what was wrong with it. */
function soundTermination(value: unknown, registry: TerminationRegistry): AnyTermination {
  try {
    if (!isObject(value) || typeof value['kind'] !== 'string')
      return makeUnsoundEnding('INVALID_RESULT', 'What was to be the ending is no termination.');
    const termination = value as unknown as Ending;
    if (registry.find(termination.kind) === undefined) {
      return makeUnsoundEnding(
        'UNREGISTERED_TERMINATION',
        `No kind named ${JSON.stringify(termination.kind)} is registered; list its definition in terminations: [definition].`,
      );
    }
    const fits = measure(termination, defaultLimits) === undefined;
    const notJson = fits ? undefined : firstNonJson(termination);
    if (notJson !== undefined)
      return makeUnsoundEnding('NOT_JSON', `${termination.kind}: ${notJson.path}: ${notJson.message}.`);
    const bounded = fits ? termination : fit(termination, defaultLimits);
    if (bounded === undefined)
      return makeUnsoundEnding('INVALID_TERMINATION', `${termination.kind}: too large, and it cannot be cut.`);
    const [issue] = validate(bounded, { registry, unknownFields: 'keep', unknownKinds: 'reject' });
    if (issue !== undefined)
      return makeUnsoundEnding('INVALID_TERMINATION', `${termination.kind}: ${issue.path}: ${issue.message}.`);
    return bounded as AnyTermination;
  } catch {
    // Getters and proxies may throw from anywhere.
    return makeUnsoundEnding('INVALID_RESULT', 'What was to be the ending cannot be read.');
  }
}

function makeUnsoundEnding(code: string, message: string): AnyTermination {
  return terminations.failed({
    error: { name: 'InvalidEnding', message, code },
    origin: 'body',
    errorClass: 'internal',
  });
}

function safeOutbox(
  envelope: StoredEnvelope,
  outboxOf: (envelope: StoredEnvelope) => readonly OutboxItem[],
): readonly OutboxItem[] {
  try {
    return outboxOf(envelope);
  } catch {
    // A notice that cannot be made must not cost the ending.
    return [];
  }
}
