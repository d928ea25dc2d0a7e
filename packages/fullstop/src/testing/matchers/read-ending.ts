import { category, describe } from '../../termination/classify.js';
import { type Category, type Ending, isCategory } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import { builtIns } from '../../termination/registry.js';
import { rootCause } from '../../termination/root-cause.js';

/** An ending, found in whatever was passed to `expect`. */
export interface ReadEnding {
  readonly termination: Ending;
  /** Undefined for the bare termination of a kind that is not built in, or caused by one: nobody here knows its definition. */
  readonly category: Category | undefined;
  readonly summary: string | undefined;
  readonly also: readonly Ending[];
  /** The id of the run or the name of the stage, where there is one. */
  readonly of: string | undefined;
}

/** Reads a result, an envelope, a stage or a termination; otherwise a sentence that says why there is no ending in it. */
export function readEnding(received: unknown): ReadEnding | string {
  if (!isObject(received))
    return `${shown(received)} has no ending: pass a result, an envelope, a stage or a termination.`;
  if (typeof received['then'] === 'function')
    return 'a promise has no ending yet: await it, or write expect(promise).resolves.';
  const { termination } = received;
  if (isEnding(termination)) return withWhatItCarries(termination, received);
  if (isEnding(received)) return { ...knownOf(received), also: [], of: undefined };
  const members = Object.keys(received).slice(0, 8).join(', ') || 'nothing in it';
  return `an object with ${members} has no ending: pass a result, an envelope, a stage or a termination.`;
}

function withWhatItCarries(termination: Ending, carrier: Readonly<Record<string, unknown>>): ReadEnding {
  const { category: own, summary, also, runId, name } = carrier;
  const known = knownOf(termination);
  return {
    termination,
    category: isCategory(own) ? own : known.category,
    summary: typeof summary === 'string' ? summary : known.summary,
    also: Array.isArray(also) ? also.filter(isEnding) : [],
    of: [runId, name].find((each) => typeof each === 'string'),
  };
}

function knownOf(termination: Ending): Pick<ReadEnding, 'termination' | 'category' | 'summary'> {
  const isKnown = (kind: string): boolean => builtIns.find(kind) !== undefined;
  return {
    termination,
    category: isKnown(rootCause(termination).kind) ? category(termination) : undefined,
    summary: isKnown(termination.kind) ? describe(termination) : undefined,
  };
}

function isEnding(value: unknown): value is Ending {
  return isObject(value) && typeof value['kind'] === 'string';
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
}
