/** The situations in which a run of any framework may end: the rows of the conformance table. */
export const situations = {
  natural_end: 'the model answers',
  step_limit: "the framework's own limit of steps",
  usual_limit: 'the limit that holds when none is given',
  named_predicate: "a stop condition of the framework's own",
  loop: 'the same call again and again (`loopDetection`)',
  approval: 'a tool needs approval',
  client_tool: 'a tool that the client performs',
  abort_before: 'aborted before the start',
  abort_in_model: 'aborted while the model answers',
  abort_in_tool: 'aborted while a tool works',
  timeout: 'out of time (`timeout`)',
  status_401: 'the provider answers 401',
  status_402: 'the provider answers 402',
  status_429: 'the provider answers 429, with Retry-After',
  status_500: 'the provider answers 500',
  context_overflow: 'the prompt does not fit the window',
  length: 'the answer is cut off',
  filter: 'the answer is filtered',
  refusal: 'the model refuses',
  malformed_call: 'the model calls a tool with arguments that do not fit, then answers',
  throwing_tool: 'a tool throws, then the model answers',
  sub_agent_limit: 'an agent inside a tool reaches its limit',
  interrupt: 'the run interrupts itself to ask',
  budget: 'a budget of ours is used up (`tokenBudget`)',
  empty_answer: 'the model answers nothing',
  stream_cut: 'the stream breaks off',
} as const;

export type SituationId = keyof typeof situations;

export const situationIds = Object.keys(situations) as readonly SituationId[];

/** The expected ending of a framework in a situation, beside its own words. Every cell is lived through, also one that cannot happen. */
export interface Cell {
  /** Fields that the termination has to have. */
  readonly ending: { readonly kind: string } & Readonly<Record<string, unknown>>;
  /** The framework's own words, as they were observed. */
  readonly says: string;
  /** The way into the situation, where there are several, or where it is not plain. */
  readonly how?: string;
  /** Why the framework cannot get there: then `how` is what was tried, and the rest is what happened instead. */
  readonly cannot?: string;
}

/** Some situations have several ways into them. */
export type FrameworkTable = Readonly<Record<SituationId, Cell | readonly Cell[]>>;

/** The cells of a situation. */
export function cellsOf(table: FrameworkTable, id: SituationId): readonly Cell[] {
  return listOf(table[id]);
}

/** One or several as a list. */
export function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** A situation as it was lived through: the ending, and the framework's own words. */
export interface Lived {
  readonly termination: { readonly kind: string };
  readonly says: string;
}

export type Scene = () => Promise<Lived>;

/** Brings a framework into situations, live; as many scenes as the situation has cells. */
export type FrameworkScenes = Readonly<Partial<Record<SituationId, Scene | readonly Scene[]>>>;
