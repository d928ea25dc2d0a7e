import { type Check, httpStatus, json, limit, listOf, oneOf, optional, shape, text } from '../check.js';
import type { Ending } from '../ending.js';
import type { JsonValue } from '../json.js';
import { capacity, fatal, type KindRows, retryable } from '../kind-row.js';
import { colonList, colonText, counted, inline, listed } from '../text/wording.js';

/** One place where a value does not fit its schema. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** A fact or a set of facts broke a rule of a convergence run. */
export interface InvariantViolated extends Ending<'invariant_violated', 'fatal', 'validation'> {
  readonly class: 'structural' | 'semantic' | 'acceptance';
  readonly name: string;
  readonly reason: string;
  readonly facts: readonly string[];
}

/** A proposal was refused at a promotion gate. */
export interface PromotionRejected extends Ending<'promotion_rejected', 'fatal', 'validation'> {
  readonly proposalId: string;
  readonly reason: string;
}

/** The work came to rest without meeting its criteria. */
export interface CriteriaUnmet extends Ending<'criteria_unmet', 'fatal', 'validation'> {
  readonly criteria: readonly string[];
}

/** The model's output does not fit the schema, and no repair was asked for. */
export interface SchemaValidation extends Ending<'schema_validation', 'retryable', 'validation'> {
  readonly violations: readonly Violation[];
  readonly received: JsonValue;
}

/** The model's output did not fit the schema after all repairs. */
export interface StructuredOutputExhausted extends Ending<'structured_output_exhausted', 'capacity', 'validation'> {
  readonly attempts: number;
  readonly violations: readonly Violation[];
}

/** A stage's result did not pass its validation in any attempt. */
export interface PostValidationFailed extends Ending<'post_validation_failed', 'capacity', 'validation'> {
  readonly attempts: number;
  readonly reason: string;
}

/** A model, a content filter or a suggestor declined. */
export interface AgentRefused extends Ending<'agent_refused', 'fatal', 'validation'> {
  readonly agentId: string;
  readonly reason: string;
  readonly by: 'model' | 'filter' | 'suggestor';
  /** Where the provider refused the whole request: the status of its answer. */
  readonly status?: number;
  /** The provider's id of the request that it refused. */
  readonly requestId?: string;
  /** The address that was asked, without its query. */
  readonly url?: string;
}

export interface ValidationKinds {
  invariant_violated: InvariantViolated;
  promotion_rejected: PromotionRejected;
  criteria_unmet: CriteriaUnmet;
  schema_validation: SchemaValidation;
  structured_output_exhausted: StructuredOutputExhausted;
  post_validation_failed: PostValidationFailed;
  agent_refused: AgentRefused;
}

/** Checks a list of violations. */
export const violations: Check<readonly Violation[]> = listOf(shape<Violation>({ path: text, message: text }));
const invalid = { family: 'validation', ...fatal } as const;

export const validationRows: KindRows<ValidationKinds> = {
  invariant_violated: {
    ...invalid,
    fields: { class: oneOf('structural', 'semantic', 'acceptance'), name: text, reason: text, facts: listOf(text) },
    describe: (t) => `The ${t.class} invariant ${JSON.stringify(t.name)} is violated${colonText(t.reason)}.`,
    nextAction: (t) =>
      `Correct the facts${t.facts.length === 0 ? '' : ` (${listed(t.facts)})`} or the rule, then resume.`,
  },
  promotion_rejected: {
    ...invalid,
    fields: { proposalId: text, reason: text },
    describe: (t) => `The proposal ${t.proposalId} was rejected${colonText(t.reason)}.`,
    nextAction: () => 'Change what is proposed or the rule that rejects it, then resume.',
  },
  criteria_unmet: {
    ...invalid,
    fields: { criteria: listOf(text) },
    describe: (t) => `The work settled with unmet criteria${colonList(t.criteria)}.`,
    nextAction: () => 'Supply what the criteria need or change the criteria, then resume.',
  },
  schema_validation: {
    family: 'validation',
    ...retryable,
    fields: { violations, received: json },
    describe: (t) => `The output does not fit its schema${violationText(t.violations)}.`,
    nextAction: () => 'Try again; if it happens often, allow repairs or simplify the schema.',
  },
  structured_output_exhausted: {
    family: 'validation',
    ...capacity,
    fields: { attempts: limit, violations },
    describe: (t) =>
      `The output still does not fit its schema after ${counted(t.attempts, 'attempt')}${violationText(t.violations)}.`,
    nextAction: () => 'Resume with more repairs or guidance, or simplify the schema or use a stronger model.',
  },
  post_validation_failed: {
    family: 'validation',
    ...capacity,
    fields: { attempts: limit, reason: text },
    describe: (t) => `The result was not accepted after ${counted(t.attempts, 'attempt')}${colonText(t.reason)}.`,
    nextAction: () => 'Resume for as many attempts again, or change the stage or its validation first.',
  },
  agent_refused: {
    ...invalid,
    fields: {
      agentId: text,
      reason: text,
      by: oneOf('model', 'filter', 'suggestor'),
      status: optional(httpStatus),
      requestId: optional(text),
      url: optional(text),
    },
    describe: (t) => `${refusers[t.by]} ${t.agentId} refused${colonText(t.reason)}.`,
    nextAction: (t) =>
      t.by === 'suggestor'
        ? `Change what the suggestor ${t.agentId} is asked or what it proposes, then resume.`
        : 'Resume with guidance that changes the request; the same one would be refused again.',
  },
};

const refusers = { model: 'The model of', filter: 'The content filter of', suggestor: 'The suggestor' } as const;

function violationText(list: readonly Violation[]): string {
  return colonList(
    list.map(
      (violation) => `${violation.path === '' ? 'the value' : violation.path} (${inline(violation.message, 100)})`,
    ),
  );
}
