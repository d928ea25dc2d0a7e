import { amount, count, errorData, json, limit, listOf, oneOf, optional, shape, text } from '../check.js';
import type { Ending } from '../ending.js';
import type { ErrorData } from '../errors/error-data.js';
import type { JsonValue } from '../json.js';
import { capacity, type KindRows } from '../kind-row.js';
import { colonList, colonText, counted, grouped, listed, percent } from '../text/wording.js';

/** One of the calls that repeat. */
export interface RepeatedCall {
  readonly tool: string;
  readonly input?: JsonValue;
}

/** A call of the model's that could not succeed, or an answer of its that was none. */
export interface Mistake {
  /** Absent where there was no call. */
  readonly tool?: string;
  readonly problem: 'bad_arguments' | 'unknown_tool' | 'denied' | 'tool_error' | 'no_answer' | 'missing_calls';
  readonly message: string;
}

/** Several iterations in a row used nearly the same number of tokens. */
export interface StallDetected extends Ending<'stall_detected', 'capacity', 'detector'> {
  readonly consecutive: number;
  readonly tolerance: number;
  readonly tokens: readonly number[];
}

/** The same calls came back with the same results, again and again. */
export interface LoopDetected extends Ending<'loop_detected', 'capacity', 'detector'> {
  readonly cycle: readonly RepeatedCall[];
  readonly repeats: number;
}

/** Several iterations in a row produced nothing new. */
export interface NoProgress extends Ending<'no_progress', 'capacity', 'detector'> {
  readonly limit: number;
  readonly used: number;
  /** The activity of the run when it stopped getting anywhere. */
  readonly snapshot: JsonValue;
}

/** Every call of several rounds in a row failed. */
export interface ConsecutiveErrors extends Ending<'consecutive_errors', 'capacity', 'detector'> {
  readonly limit: number;
  readonly used: number;
  readonly lastError: ErrorData;
}

/** The model made several mistakes in a row. */
export interface ConsecutiveMistakes extends Ending<'consecutive_mistakes', 'capacity', 'detector'> {
  readonly limit: number;
  readonly used: number;
  readonly lastMistake: Mistake;
}

export interface DetectorKinds {
  stall_detected: StallDetected;
  loop_detected: LoopDetected;
  no_progress: NoProgress;
  consecutive_errors: ConsecutiveErrors;
  consecutive_mistakes: ConsecutiveMistakes;
}

const detected = { family: 'detector', ...capacity } as const;

export const detectorRows: KindRows<DetectorKinds> = {
  stall_detected: {
    ...detected,
    fields: { consecutive: limit, tolerance: amount, tokens: listOf(count) },
    describe: (t) =>
      `Stalled: ${counted(t.consecutive, 'iteration')} in a row used about the same number of tokens (within ${percent(t.tolerance)})${colonList(t.tokens.map(String), 5)}.`,
    nextAction: () => 'Change the prompt or the tools so that each iteration sees something new, then resume.',
  },
  loop_detected: {
    ...detected,
    fields: { cycle: listOf(shape<RepeatedCall>({ tool: text, input: optional(json) })), repeats: limit },
    describe: (t) =>
      `Caught in a loop: ${calls(t.cycle)} came ${counted(t.repeats, 'time')} in a row with the same results.`,
    nextAction: () => 'Look at what repeats; give guidance or change what leads back to it, then resume.',
  },
  no_progress: {
    ...detected,
    fields: { limit, used: count, snapshot: json },
    describe: (t) => `No progress in ${counted(t.used, 'iteration')} in a row (the limit is ${grouped(t.limit)}).`,
    nextAction: () => 'Look at the snapshot; add guidance or change the task, then resume.',
  },
  consecutive_errors: {
    ...detected,
    fields: { limit, used: count, lastError: errorData },
    describe: (t) =>
      `Every tool call failed in ${counted(t.used, 'round')} in a row (the limit is ${grouped(t.limit)}); the last error was ${t.lastError.name}${colonText(t.lastError.message)}.`,
    nextAction: () => 'Fix what the tools report, then resume.',
  },
  consecutive_mistakes: {
    ...detected,
    fields: {
      limit,
      used: count,
      lastMistake: shape<Mistake>({
        tool: optional(text),
        problem: oneOf('bad_arguments', 'unknown_tool', 'denied', 'tool_error', 'no_answer', 'missing_calls'),
        message: text,
      }),
    },
    describe: (t) =>
      `The model made ${counted(t.used, 'mistake')} in a row (the limit is ${grouped(t.limit)}); the last was ${problemText(t.lastMistake)}${colonText(t.lastMistake.message)}.`,
    nextAction: () => 'Make the tool descriptions clearer or use a stronger model, then resume.',
  },
};

const problems = {
  bad_arguments: 'bad arguments for',
  unknown_tool: 'a call of the unknown tool',
  denied: 'a denied call of',
  tool_error: 'an error from',
  no_answer: 'an empty answer',
  missing_calls: 'an answer that announced calls and made none',
} as const;

function problemText({ problem, tool }: Mistake): string {
  return tool === undefined ? problems[problem] : `${problems[problem]} ${tool}`;
}

function calls(cycle: readonly RepeatedCall[]): string {
  if (cycle.length === 0) return 'the same calls';
  return listed(
    cycle.map((call) => call.tool),
    5,
  );
}
