import type { Answer, Failure, NoReply, RawReply } from '../servers/reply.js';
import { type Behaviour, done, natural } from './behaviour.js';

const hang: NoReply = { no: 'answer' };
const reset: NoReply = { no: 'connection' };
const long = 'an answer of several words that will not arrive';
const page: RawReply = {
  body: '<html><body>Sign in</body></html>',
  headers: { 'content-type': 'text/html' },
};
const overloaded: Answer = { text: long, breaksWith: { status: 529, message: 'Overloaded', code: 'overloaded_error' } };
const noMiddle = 'an answer that is not streamed has no middle: it is an answer or a refusal';

/** Each happens once before an answer, and as often as there are attempts. */
const troubles: readonly (Omit<Behaviour, 'replies' | 'requests'> & {
  readonly reply: Behaviour['replies'][number];
})[] = [
  {
    name: 'a server that hangs',
    reply: hang,
    ending: { kind: 'time_budget', scope: 'model', limitMs: 600_000, elapsedMs: 600_000 },
  },
  {
    name: 'an answer that stops coming',
    reply: { text: long, cut: 'stall' },
    ending: { kind: 'time_budget', scope: 'model', limitMs: 600_000, elapsedMs: 600_000 },
  },
  { name: 'a connection that is reset', reply: reset, ending: { kind: 'provider_failed', attempts: 3 } },
  {
    name: 'a connection that breaks in the middle of the answer',
    reply: { text: long, cut: 'connection' },
    ending: { kind: 'provider_failed', attempts: 3 },
  },
  {
    name: 'an answer that ends in the middle as if that were all',
    reply: { text: long, cut: 'stream' },
    ending: { kind: 'provider_failed', attempts: 3 },
  },
  {
    name: 'an error in the middle of the stream',
    reply: overloaded,
    ending: { kind: 'provider_failed', attempts: 3, message: 'Overloaded' },
    cells: { whole: noMiddle },
  },
  { name: 'a page of HTML with 200', reply: page, ending: { kind: 'provider_failed', attempts: 3 } },
  {
    name: 'a page of HTML with 502',
    reply: { ...page, status: 502 },
    ending: { kind: 'provider_failed', status: 502, attempts: 3 },
  },
  {
    name: 'JSON of another shape',
    reply: { body: { result: 'hello' } },
    ending: { kind: 'provider_failed', attempts: 3 },
    cells: {
      'openai responses whole': {
        ending: { kind: 'failed', error: { name: 'TypeError' } },
        requests: 1,
        because: 'this client does not check the shape and trips, as over a mistake of its own',
      },
    },
  },
  { name: 'nothing at all with 200', reply: { body: '' }, ending: { kind: 'provider_failed', attempts: 3 } },
];

const broken = (failure: Failure): Answer => ({ text: long, breaksWith: failure });
const quota: Failure = { status: 429, message: 'You exceeded your current quota.', code: 'insufficient_quota' };
const tooLong: Failure = {
  status: 400,
  message: 'Your input exceeds the context window of this model.',
  code: 'context_length_exceeded',
};

/** Errors in a stream that no later attempt would change, and errors in the body of a 200. */
const errorsInside: readonly Behaviour[] = [
  {
    name: 'a lack of quota in the middle of the stream',
    replies: [broken(quota), done],
    ending: { kind: 'provider_quota', message: quota.message },
    requests: 1,
    cells: { whole: noMiddle },
  },
  {
    name: 'an overflow in the middle of the stream',
    replies: [broken(tooLong), done],
    ending: { kind: 'prompt_too_long', message: tooLong.message },
    requests: 1,
    cells: { whole: noMiddle },
  },
  {
    name: 'a rate limit in the middle of the stream, then an answer',
    replies: [broken({ status: 429, message: 'Slow down', code: 'rate_limit_exceeded' }), done],
    ending: natural,
    requests: 2,
    cells: { whole: noMiddle },
  },
  {
    name: 'an error in the body of a 200, as gateways have it, then an answer',
    replies: [{ body: { error: { message: 'Provider returned error', code: 502 } } }, done],
    ending: natural,
    requests: 2,
  },
];

export const breaks: readonly Behaviour[] = [...errorsInside, ...repeated()];

function repeated(): readonly Behaviour[] {
  return troubles.flatMap(({ name, reply, ending, cells = {} }) => [
    { name: `${name}, then an answer`, replies: [reply, done], ending: natural, requests: 2, cells },
    { name: `${name}, again and again`, replies: [reply, reply, reply, done], ending, requests: 3, cells },
  ]);
}
