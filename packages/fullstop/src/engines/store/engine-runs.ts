import { checkAnswerTo } from '../port/check-answer.js';
import type { Clock } from '../port/clock.js';
import type { ConversationPlace } from '../port/conversation-place.js';
import type { Engine, ReopenReceipt, ReopenRequest, RunnableDefinition, StartRequest } from '../port/engine.js';
import type { CancelRequest, EntryData, JournalEntry } from '../port/journal-entry.js';
import type { AnswerReceipt, RequestAnswer } from '../port/request.js';
import { draftStart } from '../rules/frame-entries.js';
import { type ExistingRun, receiveStart } from '../rules/start-receipt.js';
import { turnRefused } from '../rules/turns.js';
import type { Commits } from './commits.js';
import { damagedError } from './damaged-error.js';
import { toEnvelope, toRow, toStoredRun } from './entry-row.js';
import { importedRun } from './import-run.js';
import type { Lease } from './lease.js';
import type { AnswerRow, Claimant, ClaimedRun, InputOf, OutputOf } from './operations.js';
import { type SessionHost, StoreSession } from './store-session.js';
import type { Watch } from './watch.js';

export interface RunsParts {
  readonly commits: Commits;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly encoded: boolean;
  readonly lease: Lease;
}

type Runs = Pick<Engine, 'answer' | 'cancel' | 'importRun' | 'reopen' | 'start'> & {
  claim(runId: string, workerId: string): Promise<StoreSession | undefined>;
  claimNext(
    definitions: readonly RunnableDefinition[],
    limit: number,
    worker: string,
  ): Promise<{ readonly sessions: readonly StoreSession[]; readonly nextWakeAt: number | null }>;
};

/** The part of the engine that changes runs. */
export function runsOf(parts: RunsParts): Runs {
  const { commits, watch, clock, lease, encoded } = parts;
  const host: SessionHost = {
    commits,
    encoded,
    now: () => clock.now(),
    hold: () => (lease.isValid ? undefined : watch.regain()),
    letGo: (session, retry) => watch.unfollow(session, retry),
    changed: (runId) => watch.changed(runId),
  };
  // Followed before anything later in the same batch is reported, so that no message is lost in between.
  const begin = (claimed: ClaimedRun, claimant: Claimant | undefined): StoreSession => {
    // With runs at hand only a heartbeat renews: it finds out whether they are still ours.
    if (watch.sessions.size === 0 && claimant !== undefined) lease.renewed(claimant);
    const session = new StoreSession(host, claimed);
    watch.follow(session);
    return session;
  };

  return {
    start: (request) => start(parts, request),
    reopen: (request) => reopen(parts, request),
    claim: async (runId, workerId) => {
      let session: StoreSession | undefined;
      let claimant: Claimant | undefined;
      const make = (): { runId: string; claimant: Claimant } => {
        claimant = lease.claimant(workerId);
        return { runId, claimant };
      };
      const claimed = await commits.submit('claim', make, (output) => {
        if (output !== undefined && !('reason' in output)) session = begin(output, claimant);
      });
      if (claimed !== undefined && 'reason' in claimed) throw damagedError(claimed);
      return session;
    },
    claimNext: async (definitions, limit, worker) => {
      const sessions: StoreSession[] = [];
      const wanted = definitions.map(({ name, version }) => [name, version] as const);
      let claimant: Claimant | undefined;
      const make = (): InputOf<'claimNext'> => {
        claimant = lease.claimant(worker);
        return { definitions: wanted, limit, claimant };
      };
      const { nextWakeAt } = await commits.submit('claimNext', make, ({ claimed }) => {
        for (const run of claimed) sessions.push(begin(run, claimant));
      });
      return { sessions, nextWakeAt };
    },
    answer: async (runId: string, requestId: string, answer: RequestAnswer): Promise<AnswerReceipt> => {
      await checkFit(parts, runId, { [requestId]: answer });
      const row = toAnswerRow(requestId, answer);
      const make = (): InputOf<'answer'> => ({ runId, answer: row, now: clock.now() });
      const { receipt } = await commits.submit('answer', make, ({ message }) => {
        if (message !== undefined) watch.sessions.get(runId)?.receive(message);
      });
      if (receipt.status === 'delivered') watch.changed(runId);
      return receipt;
    },
    cancel: (runId, request) => cancel(parts, runId, request),
    importRun: (entries) => importRun(parts, entries),
  };
}

async function cancel(
  { commits, watch, clock }: RunsParts,
  runId: string,
  request: CancelRequest,
): Promise<'requested' | 'ended' | 'unknown'> {
  const input = { runId, by: request.by, data: JSON.stringify(request) };
  const sent = await commits.submit(
    'cancel',
    () => ({ ...input, now: clock.now() }),
    (output) => {
      if (typeof output !== 'string') watch.sessions.get(runId)?.receive(output);
    },
  );
  if (typeof sent === 'string') return sent;
  watch.changed(runId);
  return 'requested';
}

async function importRun(
  { commits, watch, encoded }: RunsParts,
  entries: readonly JournalEntry[],
): Promise<'imported' | 'exists'> {
  const input = importedRun(entries, encoded);
  const imported = await commits.ask('importRun', input);
  watch.changed(input.run.runId);
  return imported;
}

async function start({ commits, watch, clock }: RunsParts, request: StartRequest): Promise<'started' | 'exists'> {
  const run = toStoredRun(request);
  const { data } = toRow(draftStart(request, 0));
  const started = await commits.submit('start', () => ({ run, now: clock.now(), data }));
  if (started === 'started') watch.changed(request.runId);
  if (started !== 'started' && 'refusal' in started)
    throw turnRefused(request.conversation as ConversationPlace, started.refusal);
  return receiveStart(started === 'started' ? undefined : (JSON.parse(started.existing) as ExistingRun), request);
}

async function reopen({ commits, watch, clock }: RunsParts, request: ReopenRequest): Promise<ReopenReceipt> {
  const { runId, after, because, by, options } = request;
  await checkFit({ commits }, runId, request.answers ?? {});
  const answers = Object.entries(request.answers ?? {}).map(([requestId, answer]) => toAnswerRow(requestId, answer));
  const text = options === undefined ? null : JSON.stringify(options);
  const receipt = await commits.submit('reopen', () => ({
    runId,
    after,
    because,
    by: by ?? null,
    options: text,
    answers,
    now: clock.now(),
  }));
  if (receipt.status === 'opened') watch.changed(runId);
  return toReceipt(receipt);
}

/** Refuses answers that do not fit what they answer. What a request asks never changes, so this need not be in the transaction. */
async function checkFit(
  { commits }: Pick<RunsParts, 'commits'>,
  runId: string,
  answers: Readonly<Record<string, RequestAnswer>>,
): Promise<void> {
  if (Object.keys(answers).length === 0) return;
  for (const text of await commits.ask('openRequests', { runId })) {
    const { request } = JSON.parse(text) as EntryData['request_opened'];
    const answer = Object.hasOwn(answers, request.id) ? answers[request.id] : undefined;
    if (answer !== undefined) checkAnswerTo(request, answer);
  }
}

function toReceipt(receipt: OutputOf<'reopen'>): ReopenReceipt {
  return receipt.status === 'closed' ? { status: 'closed', envelope: toEnvelope(receipt.ending) } : receipt;
}

function toAnswerRow(requestId: string, answer: RequestAnswer): AnswerRow {
  return { requestId, by: answer.by ?? null, data: JSON.stringify(answer) };
}
