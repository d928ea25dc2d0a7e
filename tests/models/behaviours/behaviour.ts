import type { AgentInput } from '../../../packages/fullstop/src/agent/options/agent-options.js';
import type { ModelSettings } from '../../../packages/fullstop/src/agent/options/model-settings.js';
import type { ProviderName, Way } from '../providers.js';
import type { Reply } from '../servers/reply.js';

/** The outcome of a run when a server behaves in some way. */
export interface Cell {
  readonly replies: readonly Reply[];
  /** The ending, with its evidence. */
  readonly ending: object;
  /** Exactly how many requests the server got. */
  readonly requests: number;
  /** How much time passed, as far as it is waited and not worked. */
  readonly waitedMs?: number;
  /** More of the result. */
  readonly result?: object;
  /** A part of the last request. */
  readonly wire?: object;
  readonly prompt?: AgentInput;
  readonly settings?: ModelSettings;
  readonly withoutKey?: boolean;
  /** Why the cell is unlike the others of its row. */
  readonly because?: string;
}

/** A row of the table: what holds for all providers and ways, and where one of them differs. A text says why a cell cannot be. */
export interface Behaviour extends Cell {
  readonly name: string;
  readonly cells?: Readonly<Partial<Record<CellName, Partial<Cell> | string>>>;
}

type CellName = ProviderName | Way | `${ProviderName} ${Way}`;

/** The cell of a row; the most specific word about it wins. */
export function cellOf({ name: _, cells = {}, ...usual }: Behaviour, provider: ProviderName, way: Way): Cell | string {
  let cell: Cell | string = usual;
  for (const place of [way, provider, `${provider} ${way}`] as const) {
    const own = cells[place];
    if (own === undefined) continue;
    cell = typeof own === 'string' ? own : { ...(typeof cell === 'string' ? usual : cell), ...own };
  }
  return cell;
}

/** When every run begins: a whole second, as dates of HTTP have no less. */
export const start = Date.UTC(2026, 10, 17, 12);

/** One pixel. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: pixel } } as const;

/** The answer that ends a run well. */
export const done: Reply = { text: 'All done.' };

export const natural = { kind: 'natural_end' };
