import type { Ending } from '../termination/ending.js';
import { isObject, type JsonObject, type JsonValue } from '../termination/json.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { badPayload } from './bad-payload.js';
import {
  type Dialect,
  defineDialect,
  type ForeignPayload,
  type ForeignTermination,
  type ForeignWord,
  type Parts,
} from './dialect.js';
import { u32, u64 } from './number-type.js';
import { plainWords } from './plain-words.js';
import { number, specialWord, text, texts, word } from './word.js';

/** A StopReason as JSON: a bare string for a variant without fields, else an object with the variant as its only key. */
export type ConvergeStopReason = string | JsonObject;

const invariantClasses = { structural: 'Structural', semantic: 'Semantic', acceptance: 'Acceptance' } as const;

const errorCategories = {
  internal: 'Internal',
  configuration: 'Configuration',
  external: 'External',
  resource: 'Resource',
  unknown: 'Unknown',
} as const;

type Gate = NonNullable<ForeignTermination<'gate_pending'>['gates']>[number];

/** The fields of its one gate, and the names that they have here. */
const gateMembers = {
  gate_id: 'gateId',
  proposal_id: 'proposalId',
  summary: 'summary',
  agent_id: 'agentId',
  cycle: 'cycle',
} as const satisfies Readonly<Record<string, keyof Gate>>;

const words: readonly ForeignWord[] = [
  word('Converged', 'converged', { note: 'How many cycles it took and how many facts there are is not said.' }),
  word('CriteriaMet', 'criteria_met', { carries: { criteria: texts('criteria') } }),
  word('UserCancelled', 'cancelled', {
    implied: { by: 'caller' },
    note: 'Counts as a success there, as a cancellation here.',
  }),
  word('HumanInterventionRequired', 'human_intervention_required', {
    carries: { criteria: texts('criteria'), approval_refs: texts('approvalRefs') },
  }),
  word('CycleBudgetExhausted', 'cycle_budget', {
    carries: { cycles_executed: number('used', u32), limit: number('limit', u32) },
  }),
  word('FactBudgetExhausted', 'fact_budget', {
    carries: { facts_count: number('used', u32), limit: number('limit', u32) },
  }),
  word('TokenBudgetExhausted', 'token_budget', {
    carries: { tokens_consumed: number('used', u64), limit: number('limit', u64) },
  }),
  word('TimeBudgetExhausted', 'time_budget', {
    implied: { scope: 'run' },
    carries: { duration_ms: number('elapsedMs', u64), limit_ms: number('limitMs', u64) },
  }),
  word('InvariantViolated', 'invariant_violated', {
    carries: { class: text('class', invariantClasses), name: text('name'), reason: text('reason') },
  }),
  word('PromotionRejected', 'promotion_rejected', {
    carries: { proposal_id: text('proposalId'), reason: text('reason') },
  }),
  word('Error', 'failed', {
    carries: { message: text('error.message'), category: text('errorClass', errorCategories) },
  }),
  word('AgentRefused', 'agent_refused', {
    implied: { by: 'suggestor' },
    carries: { agent_id: text('agentId'), reason: text('reason') },
  }),
  specialWord('HitlGatePending', 'gate_pending', {
    carries: Object.entries(gateMembers).map(([theirs, ours]) => `${theirs} → gates[0].${ours}`),
    note: 'Has room for a single gate: of several, the first is written.',
    write: (t) => gatePayload(t.gates?.[0]),
    read: (payload) => {
      const gate = readGate(payload);
      return Object.keys(gate).length === 0 ? {} : { gates: [gate] };
    },
  }),
];

/** Variants without fields, which are bare strings. */
const units: ReadonlySet<string> = new Set(['Converged', 'UserCancelled']);

/** Converge's StopReason: externally tagged JSON with PascalCase variants and snake_case fields. */
export const converge: Dialect<ConvergeStopReason> = defineDialect<ConvergeStopReason>({
  name: 'converge',
  title: 'Converge',
  words,
  split,
  join: (name, payload) => (hasFields(name) ? { [name]: payload } : name),
  otherwise,
});

function split(value: unknown): Parts | undefined {
  if (typeof value === 'string') return hasFields(value) ? undefined : { word: value, payload: {} };
  if (!isObject(value)) return undefined;
  const [only, ...more] = Object.entries(value);
  if (only === undefined || more.length > 0 || !isObject(only[1]) || units.has(only[0])) return undefined;
  return { word: only[0], payload: only[1] as ForeignPayload };
}

/** A third-party kind is written as its bare name, for lack of a rule for its fields. */
function hasFields(name: string): boolean {
  return !units.has(name) && words.some((each) => each.word === name);
}

/** Every error without a variant of its own is an Error there; other endings have no general word. */
function otherwise(termination: Ending | ForeignTermination, registry: TerminationRegistry): ConvergeStopReason | null {
  if (registry.find(termination.kind)?.family !== 'error') return null;
  const category = categoryOfKind[termination.kind] ?? 'Unknown';
  return { Error: { message: plainWords(termination, registry), category } };
}

const categoryOfKind: Readonly<Record<string, string>> = {
  provider_auth: 'External',
  provider_quota: 'External',
  provider_failed: 'External',
  no_answer: 'External',
  prompt_too_long: 'Resource',
  output_truncated: 'Resource',
};

function gatePayload(gate: Gate | undefined): ForeignPayload {
  const payload: Record<string, JsonValue> = {};
  for (const [theirs, ours] of Object.entries(gateMembers)) {
    const value = gate?.[ours];
    if (value !== undefined) payload[theirs] = typeof value === 'number' ? u32.nearest(value) : value;
  }
  return payload;
}

function readGate(payload: ForeignPayload): Gate {
  const gate: Record<string, JsonValue> = {};
  for (const [theirs, ours] of Object.entries(gateMembers)) {
    const value = payload[theirs];
    if (value === undefined || value === null) continue;
    const isCycle = ours === 'cycle';
    const fits = isCycle ? typeof value === 'number' && u32.accepts(value) : typeof value === 'string';
    if (!fits) throw badPayload('HitlGatePending', theirs, isCycle ? u32.expected : 'a string');
    gate[ours] = value;
  }
  return gate;
}

/** Reads the fields of a value for its text, where all of them are needed. */
interface Fields {
  one(member: string): string;
  many(member: string): string;
}

const displays: Readonly<Record<string, (fields: Fields) => string>> = {
  Converged: () => 'Converged',
  CriteriaMet: (f) => `Criteria met: ${f.many('criteria')}`,
  UserCancelled: () => 'User cancelled',
  HumanInterventionRequired(f) {
    const references = f.many('approval_refs');
    return `Human intervention required for: ${f.many('criteria')}${references === '' ? '' : ` (refs: ${references})`}`;
  },
  CycleBudgetExhausted: (f) => `Cycle budget exhausted: ${f.one('cycles_executed')}/${f.one('limit')}`,
  FactBudgetExhausted: (f) => `Fact budget exhausted: ${f.one('facts_count')}/${f.one('limit')}`,
  TokenBudgetExhausted: (f) => `Token budget exhausted: ${f.one('tokens_consumed')}/${f.one('limit')}`,
  TimeBudgetExhausted: (f) => `Time budget exhausted: ${f.one('duration_ms')}ms/${f.one('limit_ms')}ms`,
  InvariantViolated: (f) => `${f.one('class')} invariant '${f.one('name')}' violated: ${f.one('reason')}`,
  PromotionRejected: (f) => `Promotion rejected for '${f.one('proposal_id')}': ${f.one('reason')}`,
  Error: (f) => `Error (${f.one('category')}): ${f.one('message')}`,
  AgentRefused: (f) => `Suggestor '${f.one('agent_id')}' refused: ${f.one('reason')}`,
  HitlGatePending: (f) =>
    `HITL gate pending: ${f.one('gate_id')} (agent: ${f.one('agent_id')}, cycle: ${f.one('cycle')})`,
};

/** The text that Converge itself prints for a StopReason. Throws `UNKNOWN_WORD` for anything else, and where a field is missing. */
export function convergeText(value: unknown): string {
  const { word: name, payload } = splitKnown(value);
  const member = (key: string): JsonValue => {
    const found = payload[key];
    if (found === undefined || found === null) throw badPayload(name, key, 'given');
    return found;
  };
  const display = displays[name] as (fields: Fields) => string;
  return display({ one: (key) => String(member(key)), many: (key) => (member(key) as readonly string[]).join(', ') });
}

/** Converge's own groups of stop reasons; each value is in exactly one. */
export type ConvergePredicate =
  | 'isSuccess'
  | 'isBudgetExhausted'
  | 'isValidationFailure'
  | 'isError'
  | 'isHitlPending'
  | 'isHumanInterventionRequired';

/** Converge's own predicates, by its own truth table. They throw `UNKNOWN_WORD` for what is no StopReason. */
export const convergePredicates: Readonly<Record<ConvergePredicate, (value: unknown) => boolean>> = {
  isSuccess: isOneOf('Converged', 'CriteriaMet', 'UserCancelled'),
  isBudgetExhausted: isOneOf(
    'CycleBudgetExhausted',
    'FactBudgetExhausted',
    'TokenBudgetExhausted',
    'TimeBudgetExhausted',
  ),
  isValidationFailure: isOneOf('InvariantViolated', 'PromotionRejected'),
  isError: isOneOf('Error', 'AgentRefused'),
  isHitlPending: isOneOf('HitlGatePending'),
  isHumanInterventionRequired: isOneOf('HumanInterventionRequired'),
};

function isOneOf(...names: readonly string[]): (value: unknown) => boolean {
  return (value) => names.includes(splitKnown(value).word);
}

/** The parts of a value that is certainly a StopReason. */
function splitKnown(value: unknown): Parts {
  converge.decode(value);
  return split(value) as Parts;
}
