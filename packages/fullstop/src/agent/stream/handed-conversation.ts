import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { makeScope, withoutMarks } from '../../run/journal/scope-path.js';
import { parseCountedKey } from '../machine/agent-key.js';
import { answerOf } from '../machine/records.js';
import type { AgentDelta } from './deltas.js';

/** When a delta is written: everything before it is, or will be, or its answer has been written already. */
export type Turn = 'now' | 'later' | 'never';

interface HandOffReader {
  isHandedOver(path: string): boolean;
}

/** How far the agents have come that a conversation was handed over to. Their words belong to the message; of their calls only those that someone is asked about. */
export class HandedConversation {
  readonly #reader: HandOffReader;
  /** The units that the journal has opened, without their visits and attempts. */
  readonly #opened = new Set<string>();
  /** The number of the latest answer in each unit. */
  readonly #answered = new Map<string, number>();

  constructor(reader: HandOffReader) {
    this.#reader = reader;
  }

  has(path: string): boolean {
    return this.#reader.isHandedOver(path);
  }

  note(entry: JournalEntry): void {
    const { type, scope, key = '' } = entry;
    if (type === 'scope_opened') this.#opened.add(withoutMarks(makeScope(scope, key)));
    const number = scope === '' ? undefined : answerOf(entry)?.number;
    if (number !== undefined) this.#answered.set(scope, number);
  }

  turnOf({ type, path, key }: Exclude<AgentDelta, { type: 'lost' }>): Turn {
    if (type === 'tool_input' || !this.has(path)) return 'never';
    const number = parseCountedKey(key)?.number ?? 0;
    const answered = this.#answered.get(path) ?? 0;
    if (number <= answered) return 'never';
    return number === answered + 1 && this.#opened.has(withoutMarks(path)) ? 'now' : 'later';
  }
}
