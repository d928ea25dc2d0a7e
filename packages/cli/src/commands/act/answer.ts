import type { OpenRequest, RequestAnswer } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import { askPerson } from '../../answer/ask-person.js';
import { deliverAnswer } from '../../answer/deliver-answer.js';
import { makeAnswer, refuseOthers, saysSomething } from '../../answer/make-answer.js';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import { userName } from '../../answer/user-name.js';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { suggestion } from '../../command-line/suggestion.js';
import { UsageError } from '../../command-line/usage-error.js';
import { localTime } from '../../journal/value-text.js';
import { requestsText } from '../../render/requests-text.js';
import { findRun } from '../../store/find-run.js';
import { type Store, withStore } from '../../store/open-store.js';
import { harmless } from '../../terminal/foreign-text.js';
import { decisionText } from '../../why/decisions.js';
import { continueRun } from '../../workflow/continue-run.js';
import { resumeOrFollow } from '../../workflow/follow-another.js';
import { resumeOptions } from '../../workflow/resume-options.js';
import { runningOptions } from '../../workflow/run-options.js';

const options = {
  approve: { type: 'flag', about: 'Says yes' },
  deny: { type: 'flag', about: 'Says no' },
  choose: { type: 'text', value: 'VALUE', short: 'c', about: 'Chooses one of the options that are offered' },
  value: { type: 'text', value: 'TEXT', about: 'Answers with a text' },
  'value-json': { type: 'text', value: 'JSON', about: 'Answers with any value' },
  field: {
    type: 'list',
    value: 'NAME=VALUE',
    short: 'f',
    about: 'Fills in a field in addition to the choice; may be given several times',
  },
  note: { type: 'text', value: 'TEXT', about: 'A note for the journal' },
  by: { type: 'text', value: 'NAME', about: 'Who answers; your user name unless given' },
  'no-run': { type: 'flag', about: 'Only delivers the answer; a worker continues the run' },
  ...runningOptions,
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'answer',
  summary: 'Answers what a run asks, then continues it',
  operands: '[RUN] [ID]',
  arity: [0, 2],
  options,
  notes: [
    'Without an answer it lists the open requests, or asks you if the terminal is interactive. ID may be left out when only one request is open. RUN is the last run unless given.',
  ],
  examples: [
    'fullstop answer last',
    'fullstop answer r_8fk2 review --choose approve --note "looks fine"',
    'fullstop answer r_8fk2 call_7 --deny --by maria',
  ],
  run: (invocation) =>
    withStore(invocation, 'change', async (store) => {
      const { options: said, positionals, terminal, env } = invocation;
      const { runId } = await findRun(store.engine, positionals[0]);
      const open = await store.engine.openRequests(runId);
      const requests = requestsOnTime(open);
      if (open.length > 0 && requests.length === 0 && !said.json && !said['no-run'])
        return applyExpiry(store, runId, open, invocation);
      const by = said.by ?? userName(env);
      if (!saysSomething(said) && !(terminal.isInteractive && requests.length > 0 && !said.json))
        return list(store, runId, requests, invocation);
      if (requests.length === 0 && positionals[1] === undefined) await refuseAnswered(store, runId);
      const request = chosenRequest(runId, requests, positionals[1]);
      const answer = saysSomething(said) ? makeAnswer(request, said, by) : await asked(request, by);
      if (answer === undefined) {
        terminal.error(`${request.id} stays open.\n`);
        return exitCodes.paused;
      }
      return deliver(store, { runId, request, answer }, invocation);
    }),
});

/** Nothing can be answered any more: the run continues as it does when nobody answers. */
function applyExpiry(
  store: Store,
  runId: string,
  expired: readonly OpenRequest[],
  invocation: AnswerInvocation,
): Promise<number> {
  for (const { id, deadline = 0 } of expired)
    invocation.terminal.error(
      `${JSON.stringify(id)} expired at ${localTime(deadline)}; no answer is possible any more.\n`,
    );
  return continueRun(store, runId, invocation);
}

type AnswerInvocation = Invocation<typeof options>;

async function list(
  { engine }: Store,
  runId: string,
  requests: readonly OpenRequest[],
  { options: said, terminal }: AnswerInvocation,
): Promise<number> {
  if (said.json) terminal.data(`${JSON.stringify(requests, null, 2)}\n`);
  else if (requests.length === 0) {
    const { runs } = await engine.list({ category: 'paused', limit: 5 });
    const others = runs.map((run) => `  ${run.runId}  ${run.summary ?? ''}\n`).join('');
    terminal.error(`${runId} asks nothing.${others === '' ? '' : ` These runs do:\n${harmless(others)}`}`.trimEnd());
    terminal.error('\n');
  } else terminal.out(requestsText(runId, requests, { style: terminal.outStyle, now: Date.now(), store: said.store }));
  return exitCodes.succeeded;
}

async function asked(request: OpenRequest, by: string): Promise<RequestAnswer | undefined> {
  refuseOthers(request, by);
  return askPerson(request, by);
}

/** Says who was first where nothing is open any more. */
async function refuseAnswered({ engine }: Store, runId: string): Promise<void> {
  const answered = (await engine.journal(runId)).findLast(
    (entry): entry is JournalEntry<'request_answered'> => entry.type === 'request_answered',
  );
  if (answered === undefined) return;
  throw new UsageError(
    `${runId} asks nothing any more: ${decisionText(answered.data.answer)} (${localTime(answered.at)}).`,
  );
}

function chosenRequest(runId: string, requests: readonly OpenRequest[], id: string | undefined): OpenRequest {
  if (id === undefined) {
    const [only, second] = requests;
    if (only !== undefined && second === undefined) return only;
    if (only === undefined) throw new UsageError(`${runId} asks nothing.`);
    throw new UsageError(
      `${runId} asks ${requests.length} things: ${requests.map((request) => request.id).join(', ')}. Say which one.`,
    );
  }
  const found = requests.find((request) => request.id === id) ?? unlistedRequest(id);
  const known = requests.map((request) => request.id);
  if (found.openedAt === 0 && known.length > 0 && suggestion(id, known) !== '')
    throw new UsageError(`${runId} does not ask ${JSON.stringify(id)}${suggestion(id, known)}.`);
  return found;
}

/** One that is no longer open: the store knows who answered it, or when it expired. */
function unlistedRequest(id: string): OpenRequest {
  return { id, type: 'input', path: '', openedAt: 0 };
}

interface Delivery {
  readonly runId: string;
  readonly request: OpenRequest;
  readonly answer: RequestAnswer;
}

async function deliver(
  store: Store,
  { runId, request, answer }: Delivery,
  invocation: AnswerInvocation,
): Promise<number> {
  const asking = await store.engine.summary(runId);
  await deliverAnswer(store.engine, { runId, requestId: request.id, answer });
  const { terminal, options: said } = invocation;
  terminal.error(`${request.id} was answered by ${answer.by ?? 'someone'}.\n`);
  if (said['no-run']) return exitCodes.succeeded;
  return continueRun(store, runId, invocation, (workflow, segment) =>
    resumeOrFollow({ workflow, engine: store.engine, runId, segment: asking?.segment ?? 0 }, () =>
      workflow.resume(runId, resumeOptions(segment)),
    ),
  );
}
