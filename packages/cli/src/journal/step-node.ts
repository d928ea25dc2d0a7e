import type { JsonValue } from 'fullstop';
import type { Charge } from 'fullstop/engine';
import type { JournalEntry } from 'fullstop/journal';
import { preparedText } from './prepared-step.js';

/** The result of one step, callback or wait of a unit. */
export interface StepNode {
  readonly type: 'step' | 'wait' | 'sleep';
  readonly key: string;
  readonly seq: number;
  readonly at: number;
  /** From the entry before it in the same unit on. */
  readonly durationMs: number;
  readonly attempts: number;
  readonly ok: boolean;
  readonly error?: string;
  readonly value?: JsonValue | undefined;
  readonly charge?: Charge;
  /** The choices for one call of a model, in words; absent where it was as the agent has it. */
  readonly prepared?: string;
}

/** A step as its entry tells of it. Its value stays in the entry: a long run has many, and a page shows few. */
export class RecordedStep implements StepNode {
  readonly type = 'step';
  readonly key: string;
  readonly seq: number;
  readonly at: number;
  readonly durationMs: number;
  readonly attempts: number;
  readonly ok: boolean;
  declare readonly error?: string;
  declare readonly charge?: Charge;
  declare readonly prepared?: string;
  readonly #entry: JournalEntry<'step_ended' | 'recorded'>;

  constructor(
    entry: JournalEntry<'step_ended' | 'recorded'>,
    { durationMs, error }: { readonly durationMs: number; readonly error: string | undefined },
  ) {
    const { key = '', seq, at, data } = entry;
    this.key = key;
    this.seq = seq;
    this.at = at;
    this.durationMs = durationMs;
    this.attempts = data.attempts;
    this.ok = error === undefined;
    if (error !== undefined) this.error = error;
    if (data.charge !== undefined) this.charge = data.charge;
    this.#entry = entry;
    const prepared = preparedText(key, this.value);
    if (prepared !== undefined) this.prepared = prepared;
  }

  get value(): JsonValue | undefined {
    const { data } = this.#entry;
    return this.ok && data.ok ? data.value : undefined;
  }
}
