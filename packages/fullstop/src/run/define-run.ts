import { privateEngine } from '../engines/memory/private-engine.js';
import type { Engine, OutboxItem, RunnableDefinition, RunSession } from '../engines/port/engine.js';
import type { Envelope, StoredEnvelope } from '../engines/port/envelope.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { Termination } from '../termination/kinds.js';
import { createRegistry, type EndingOf } from '../termination/registry.js';
import {
  checkDefinition,
  checkRunOptions,
  engineToResume,
  resumeOptions as knownToResume,
  startOptions,
} from './check-run-options.js';
import type { LastSeen } from './ending/last-seen.js';
import { noticeId } from './journal/operation-key.js';
import { checkLimits } from './limits.js';
import { loadRuntime, type Runtime } from './load-runtime.js';
import { newRunId } from './new-id.js';
import type { BodyResult, RunEnd } from './run-context.js';
import type { DefineRunOptions, ResumeOptions, RunOptions } from './run-options.js';
import type { Secrets } from './secrets/secrets.js';
import type { SegmentOptions } from './segment/run-segment.js';

/** The endings that no body can rule out. */
export type AlwaysPossible = Termination<
  | 'abandoned'
  | 'cancelled'
  | 'cost_budget'
  | 'failed'
  | 'gate_expired'
  | 'gate_pending'
  | 'interaction_pending'
  | 'max_iterations'
  | 'prompt_too_long'
  | 'provider_auth'
  | 'provider_failed'
  | 'provider_quota'
  | 'time_budget'
  | 'token_budget'
>;

/** The endings of what a body returns. */
export type EndingOfBody<TResult> =
  TResult extends RunEnd<infer TEnding> ? TEnding : TResult extends Ending ? TResult : never;

/** The output of what a body returns. */
export type OutputOfBody<TResult> = TResult extends { readonly output?: infer TOutput }
  ? Exclude<TOutput, undefined>
  : undefined;

/** An ending as the caller of `run` gets it. */
export interface RunResult<TEnding extends Ending, TOutput> extends Omit<Envelope<TEnding>, 'output'> {
  readonly output?: TOutput;
  /** Continues where it stopped, on the same engine. */
  resume(options?: Omit<ResumeOptions, 'engine'>): Promise<RunResult<TEnding, TOutput>>;
  journal(): Promise<readonly JournalEntry[]>;
}

/** A run that can be started, resumed and executed by workers. */
export interface RunDefinition<TInput, TEnding extends Ending, TOutput> extends RunnableDefinition {
  /** Starts a run and returns its ending. Never rejects once the run has started. */
  run(input: TInput, options?: RunOptions): Promise<RunResult<TEnding, TOutput>>;
  resume(runId: string, options: ResumeOptions): Promise<RunResult<TEnding, TOutput>>;
  /** Ends a segment whose owner is gone, for `sweepAbandoned`. */
  abandon(session: RunSession, engine: Engine, lastSeen: LastSeen): Promise<Envelope>;
  /** The latest ending, if there is one. */
  result(runId: string, options: { readonly engine: Engine }): Promise<RunResult<TEnding, TOutput> | undefined>;
}

interface SegmentPlace {
  readonly engine: Engine;
  readonly runOptions: RunOptions;
}

/** Defines a run with a body of your own. Everything impure in it goes through the context. */
export function defineRun<
  TInput,
  TResult extends BodyResult,
  const TDefinitions extends readonly AnyTerminationDefinition[] = [],
>(
  options: DefineRunOptions<TInput, TResult, TDefinitions>,
): RunDefinition<
  TInput,
  AlwaysPossible | EndingOfBody<TResult> | EndingOf<TDefinitions[number]>,
  OutputOfBody<TResult>
> {
  type TEnding = AlwaysPossible | EndingOfBody<TResult> | EndingOf<TDefinitions[number]>;
  type TOutput = OutputOfBody<TResult>;
  checkDefinition(options);
  const { name, version = '1' } = options;
  checkLimits(options.limits ?? {}, `The run ${JSON.stringify(name)}`);
  const registry = createRegistry(options.terminations ?? []);

  const segmentWith = ({ makeSettings }: Runtime, session: RunSession, at: SegmentPlace): SegmentOptions => ({
    engine: at.engine,
    session,
    settingsFor: (history) => makeSettings({ definition: options, registry, history, ...at }),
    body: (context, input) => options.run(context, input as TInput),
    outboxOf: (envelope) => outboxItems(envelope, options.onEnding ?? []),
  });

  const toResult = (envelope: Envelope, engine: Engine): RunResult<TEnding, TOutput> => ({
    ...(envelope as unknown as Omit<Envelope<TEnding>, 'output'> & { readonly output?: TOutput }),
    resume: (resumeOptions) => definition.resume(envelope.runId, { ...resumeOptions, engine }),
    journal: () => engine.journal(envelope.runId),
  });

  const definition: RunDefinition<TInput, TEnding, TOutput> = {
    name,
    version,
    execute: async (session, engine) => {
      const runtime = await loadRuntime();
      await runtime.runSegment(segmentWith(runtime, session, { engine, runOptions: {} }));
    },
    abandon: async (session, engine, lastSeen) => {
      const runtime = await loadRuntime();
      return runtime.abandonSegment(segmentWith(runtime, session, { engine, runOptions: {} }), lastSeen);
    },
    run: async (input, runOptions = {}) => {
      checkRunOptions(runOptions, `The start of ${name}`, startOptions);
      const runtime = await loadRuntime();
      const engine = engineFor(runOptions);
      const runId = runOptions.runId ?? newRunId(engine);
      const execute = (session: RunSession): Promise<Envelope | undefined> =>
        runtime.runSegment(segmentWith(runtime, session, { engine, runOptions }));
      const { signal, onStart } = runOptions;
      const { secrets } = options;
      const request = { runId, name, version, input };
      const ending = await runtime.startRun({ engine, request, execute, registry, signal, secrets, onStart });
      return toResult(ending, engine);
    },
    resume: async (runId, resumeOptions) => {
      const engine = engineToResume(resumeOptions, `The resume of ${name}`);
      checkRunOptions(resumeOptions, `The resume of ${name}`, knownToResume);
      const runtime = await loadRuntime();
      const execute = (session: RunSession): Promise<Envelope | undefined> =>
        runtime.runSegment(segmentWith(runtime, session, { engine, runOptions: resumeOptions }));
      const brought = sealOptions(resumeOptions, options.secrets);
      const abandon = (session: RunSession, lastSeen: LastSeen): Promise<Envelope> =>
        runtime.abandonSegment(segmentWith(runtime, session, { engine, runOptions: resumeOptions }), lastSeen);
      const resumption = { engine, runId, name, version, execute, abandon, options: brought, registry };
      return toResult(await runtime.resumeRun(resumption), engine);
    },
    result: async (runId, { engine }) => {
      const envelope = await engine.ending(runId);
      return envelope === undefined ? undefined : toResult(envelope, engine);
    },
  };
  return definition;
}

/** Removes the values of secrets from what a resume brings into the journal. */
function sealOptions(options: ResumeOptions, secrets: Secrets | undefined): ResumeOptions {
  if (secrets === undefined) return options;
  const { answers, by, changes } = options;
  return {
    ...options,
    ...(answers !== undefined && { answers: secrets.seal(answers) }),
    ...(by !== undefined && { by: secrets.seal(by) }),
    ...(changes !== undefined && { changes: secrets.seal(changes) }),
  };
}

/** The engine that was given, or a private one. */
export function engineFor({ engine, clock }: Pick<RunOptions, 'engine' | 'clock'>): Engine {
  return engine ?? privateEngine(clock);
}

function outboxItems(envelope: StoredEnvelope, targets: readonly string[]): readonly OutboxItem[] {
  return targets.map((target) => ({
    id: noticeId(envelope.runId, envelope.segment, target),
    runId: envelope.runId,
    segment: envelope.segment,
    target,
    // Whoever reads it reads it from the store, where it is together with the ending.
    payload: JSON.stringify({ ...envelope, persisted: true }),
    attempts: 0,
    dueAt: envelope.endedAt,
  }));
}
