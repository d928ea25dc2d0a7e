import {
  type ScriptAnswer,
  type ScriptedCall,
  type ScriptedModel,
  scriptedModel,
} from '../../packages/fullstop/src/testing/index.js';

/** The same scripted model for both sides, and the calls that it got. */
export interface Scene {
  readonly model: ScriptedModel;
  readonly calls: readonly ScriptedCall['options'][];
}

/** One side of a row: runs it and returns what both sides have to agree on. */
export type Side = (scene: Scene) => Promise<unknown>;

/** Proof of a row: both sides run with the same answers and have to return this value. */
export interface Proof {
  readonly answers: readonly ScriptAnswer[];
  readonly theirs: Side;
  readonly ours: Side;
  readonly agree: unknown;
}

/** An option, callback, field or method of the AI SDK, and what to write instead. */
export interface PortingRow {
  /** Its names in version 6; none for what is new in 7. */
  readonly six: readonly string[];
  /** Its names in version 7 where they differ; those of 6 unless given. None for what 7 no longer has. */
  readonly seven?: readonly string[];
  /** Ours, as code; undefined where there is none. */
  readonly ours?: string;
  /** The difference, or the reason why there is none. */
  readonly note?: string;
  /** Undefined only where there is no counterpart, or where 6 has nothing to run. */
  readonly proof?: Proof;
}

export interface PortingTable {
  readonly title: string;
  readonly rows: readonly PortingRow[];
}

export function sceneOf(answers: readonly ScriptAnswer[]): Scene {
  const calls: ScriptedCall['options'][] = [];
  const model = scriptedModel(answers, { onCall: ({ options }) => calls.push(options) });
  return { model, calls };
}

/** Answers that rows share. */
export const done: readonly ScriptAnswer[] = [{ text: 'done', usage: { inputTokens: 7, outputTokens: 2 } }];
export const oneCall: readonly ScriptAnswer[] = [
  { toolCalls: [{ tool: 'add', input: { a: 2, b: 3 }, id: 'call_1' }], usage: { inputTokens: 5, outputTokens: 1 } },
  { text: 'It is 5.', usage: { inputTokens: 9, outputTokens: 2 } },
];

/** Reads something once the work is done. */
export async function after<T>(work: PromiseLike<unknown>, read: () => T): Promise<T> {
  await work;
  return read();
}
