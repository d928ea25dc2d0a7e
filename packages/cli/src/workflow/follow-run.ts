import { handleSignals, type JsonObject, type RequestAnswer, type SignalReport, type StopSignal } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import type { EntryDraft } from 'fullstop/journal';
import type { Workflow, WorkflowResult } from 'fullstop/workflow';
import { type Another, answeredElsewhere } from '../answer/answered-elsewhere.js';
import { askPerson } from '../answer/ask-person.js';
import { requestsOnTime } from '../answer/requests-on-time.js';
import { exitCodeOf, exitCodeOfSignal } from '../command-line/exit-code.js';
import { finishWith, leaveSignals } from '../command-line/signal-gate.js';
import { duration } from '../journal/number-text.js';
import { type LiveProgress, liveProgress } from '../progress/live-progress.js';
import { stepKinds } from '../progress/step-kinds.js';
import { chooseNextAttempt } from '../retry/next-attempt.js';
import type { RetryPolicy } from '../retry/retry-policy.js';
import type { Store } from '../store/open-store.js';
import type { Terminal } from '../terminal/terminal.js';
import { resultOfAnother, resumeOrFollow } from './follow-another.js';
import type { LimitChanges } from './limit-changes.js';
import { watchedEngine } from './watched-engine.js';

/** How a segment of a run is brought about. */
export interface Segment {
  /** The engine to use, which also shows the current activity. */
  readonly engine: Engine;
  readonly onEntry: (entry: EntryDraft) => void;
  readonly answers?: Readonly<Record<string, RequestAnswer>>;
  readonly changes?: LimitChanges;
}

export interface FollowOptions {
  readonly store: Store;
  readonly terminal: Terminal;
  readonly workflow: Workflow;
  /** Starts the run, or continues it. */
  first(segment: Segment): Promise<WorkflowResult>;
  /** Continues it after an ending. */
  next(runId: string, segment: Segment): Promise<WorkflowResult>;
  readonly policy?: RetryPolicy | undefined;
  /** Whether a person at the terminal is asked what the run asks. */
  readonly asks: boolean;
  readonly quiet: boolean;
  /** The choice of model that is stored with the run, so that a later command can use it again. */
  readonly remember: JsonObject;
  /** Who answers at the terminal. */
  readonly by: string;
}

/** The result of following a run: its ending, or the signal that came first. */
export type Followed = { readonly result: WorkflowResult } | { readonly signal: StopSignal };

/** Follows a run to its ending: shows progress, asks a person, tries again by a policy, and lets signals stop it in good order. */
export async function followRun(options: FollowOptions): Promise<Followed> {
  const { terminal, quiet } = options;
  terminal.onBrokenPipe = 'continue';
  leaveSignals();
  const handling = handleSignals({ policy: 'cancel' });
  const progress = liveProgress(terminal, { quiet, kinds: stepKinds(options.workflow.document) });
  let code: number | undefined;
  try {
    const followed = await followSegments(options, progress, handling.stopped);
    code = 'signal' in followed ? exitCodeOfSignal(followed.signal) : exitCodeOf(followed.result);
    return followed;
  } finally {
    progress.stop();
    finishWith(code);
    handling.dispose();
  }
}

async function followSegments(
  options: FollowOptions,
  progress: LiveProgress,
  report: Promise<SignalReport>,
): Promise<Followed> {
  const stopped = report.then(({ signal }): Followed => ({ signal }));
  const talk: Talk = {};
  const run = segments(options, { progress, stopped, talk });
  const followed = await Promise.race([run, stopped]);
  if (!('signal' in followed)) return followed;
  // At a prompt nothing runs that a signal could stop: the question stays open.
  if (talk.paused !== undefined) return { result: talk.paused };
  await cancelSleeping(options.store.engine, talk.runId, followed.signal);
  // Whatever was started is being cancelled, so that its ending comes, unless it could not be stopped in time.
  const { unfinished } = await report;
  return Promise.race([run, lastMoment(followed, unfinished.length === 0 ? endingMs : lastMomentMs)]);
}

/** Which run it is, and the pause that a person is being asked about. */
interface Talk {
  runId?: string;
  paused?: WorkflowResult | undefined;
}

/** A run that sleeps is executed by nobody, so that a signal finds nothing to stop; who followed it wants it to end. */
async function cancelSleeping(engine: Engine, runId: string | undefined, signal: StopSignal): Promise<void> {
  if (runId === undefined || (await engine.ending(runId)) !== undefined) return;
  await engine.cancel(runId, { by: 'signal', reason: signal });
}

/** The surroundings of the segments of a run. */
interface Around {
  readonly progress: LiveProgress;
  readonly stopped: Promise<Followed>;
  readonly talk: Talk;
}

/** How long to wait for a run that did not stop in time. */
const lastMomentMs = 1000;
/** How long to wait for an ending that is certain to come; only a store that hangs keeps it away. */
const endingMs = 30_000;

function lastMoment(followed: Followed, milliseconds: number): Promise<Followed> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(followed), milliseconds).unref();
  });
}

async function segments(options: FollowOptions, around: Around): Promise<Followed> {
  const { progress } = around;
  const onEntry = (entry: EntryDraft): void => progress.onEntry(entry);
  const engine = watchedEngine(options.store.engine, {
    onAppend: (entry) => progress.onAppend(entry),
    onRun: (runId) => {
      around.talk.runId = runId;
    },
    remember: options.remember,
  });
  let result = await options.first({ engine, onEntry });
  for (let attempt = 1; ; attempt += 1) {
    const more = await nextSegment(options, { result, attempt, ...around });
    if (more === undefined) return { result };
    const { runId, segment } = result;
    if ('another' in more) {
      const asked = { workflow: options.workflow, engine: options.store.engine, runId, segment };
      const followed = await resultOfAnother(asked);
      if (followed === undefined) return { result };
      result = followed;
      continue;
    }
    const resume = (): Promise<WorkflowResult> => options.next(runId, { engine, onEntry, ...more });
    const onTaken = (): void => options.terminal.error('Someone else was first; this is how it continued.\n');
    const asked = { workflow: options.workflow, engine: options.store.engine, runId, segment, onTaken };
    result = more.answers === undefined ? await resume() : await resumeOrFollow(asked, resume);
  }
}

interface Reached extends Around {
  readonly result: WorkflowResult;
  readonly attempt: number;
}

/** How to continue; undefined when this is the end. */
async function nextSegment(
  options: FollowOptions,
  reached: Reached,
): Promise<Omit<Segment, 'engine' | 'onEntry'> | { readonly another: Another } | undefined> {
  const { result, attempt, progress, stopped, talk } = reached;
  const { policy, asks, terminal } = options;
  if (result.category === 'paused' && asks) {
    progress.pause();
    talk.paused = result;
    const said = await askUnlessAnswered(options, result);
    talk.paused = undefined;
    if (said === undefined) return undefined;
    progress.resume();
    if ('another' in said)
      terminal.error(`Answered elsewhere by ${said.another.by ?? 'someone'}; the run continues.\n`);
    return said;
  }
  if (policy === undefined || result.outcome === 'succeeded') return undefined;
  const chosen = chooseNextAttempt(result, policy, attempt);
  switch (chosen.type) {
    case 'stop':
      return undefined;
    case 'raise':
      terminal.error(`${result.summary} The policy raises the limit: ${JSON.stringify(chosen.changes)}\n`);
      return { changes: chosen.changes };
    case 'wait':
      terminal.error(`${result.summary} Trying again in ${duration(chosen.ms)}.\n`);
      return (await passes(chosen.ms, stopped)) ? {} : undefined;
    default:
      return chosen satisfies never;
  }
}

/** True when the time has passed without a signal. */
async function passes(ms: number, stopped: Promise<Followed>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), ms);
  });
  const passed = await Promise.race([time, stopped.then(() => false)]);
  clearTimeout(timer);
  return passed;
}

type Answers = Readonly<Record<string, RequestAnswer>>;

/** Asks, and takes the question back once someone has answered it elsewhere; undefined when the person leaves something open. */
async function askUnlessAnswered(
  options: FollowOptions,
  { runId, segment }: WorkflowResult,
): Promise<{ readonly answers: Answers } | { readonly another: Another } | undefined> {
  const withdrawal = new AbortController();
  const over = new AbortController();
  const { engine } = options.store;
  const watching = answeredElsewhere({ engine, runId, segment, signal: over.signal }).then((another) => {
    if (another !== undefined) withdrawal.abort();
    return another;
  });
  // A store that cannot be looked at is told by whatever needs it next.
  const another = watching.catch(() => undefined);
  try {
    const answers = await ask(options, runId, withdrawal.signal);
    if (answers !== undefined) return { answers };
  } finally {
    over.abort();
  }
  const taken = await another;
  return taken && { another: taken };
}

/** Asks everything that the run asks; undefined when the person leaves something open, or the question is taken back. */
async function ask({ store, by }: FollowOptions, runId: string, withdrawn: AbortSignal): Promise<Answers | undefined> {
  const answers: Record<string, RequestAnswer> = {};
  for (const request of requestsOnTime(await store.engine.openRequests(runId))) {
    if (request.answerers !== undefined && !request.answerers.includes(by)) return undefined;
    const answer = await askPerson(request, by, withdrawn);
    if (answer === undefined) return undefined;
    answers[request.id] = answer;
  }
  return Object.keys(answers).length === 0 ? undefined : answers;
}
