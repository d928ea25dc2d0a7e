import { addCharges } from '../../engines/port/add-charges.js';
import type { RunnableDefinition } from '../../engines/port/engine.js';
import type { Charge } from '../../engines/port/usage.js';
import { frozenCopy } from '../../run/frozen.js';
import type { MachinePerformer } from '../../run/machine/machine.js';
import type { RunContext, RunEnd, StepAttempt, UnitResult } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { asUnitContext } from '../../run/unit/unit-context.js';
import { found } from '../../termination/check.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { type FactOptions, type Proposal, proposalOf } from '../facts/fact.js';
import { viewOf } from '../facts/fact-view.js';
import { type ConvergencePlan, categoryOf, type UnitOutcome } from '../machine/plan.js';
import type { Rules } from '../machine/rules.js';
import type { FactFamily } from '../options/family.js';
import {
  type ProposeFact,
  type SuggestorContext,
  type SuggestorExecuteOptions,
  type SuggestorOutcome,
  type SuggestorUseOptions,
  spawnedBy,
} from '../options/suggestor.js';
import { isThenable } from '../options/thenable.js';
import { judgeCycle, outputOf } from './judge-cycle.js';
import { viewFor } from './wake.js';

/** Carries out what the loop wants: asks suggestors, merges and judges. */
export function convergencePerformer(rules: Rules, context: RunContext): MachinePerformer<ConvergencePlan> {
  return {
    step: (plan, attempt) => (plan.type === 'suggest' ? ask(rules, context, plan, attempt) : undefined),
    record: (plan) => (plan.type === 'output' ? outputOf(plan.state, rules) : judgeCycle(plan.state, rules)),
    unit: (plan, inner) => runUnit(rules, plan as Suggest, inner),
  };
}

type Suggest = Extract<ConvergencePlan, { type: 'suggest' }>;

function ask(rules: Rules, context: RunContext, { state, suggestor }: Suggest, attempt: StepAttempt): unknown {
  const { execute } = suggestor.options as SuggestorExecuteOptions;
  const call = new SuggestorCall(rules, context, { state, suggestor, attempt });
  const done = execute(call);
  // Only what has to be waited for is: most suggestors are done by now, and another turn would cost more than they do.
  return isThenable(done) ? Promise.resolve(done).then(() => call.outcome()) : call.outcome();
}

/** One call of a suggestor. The properties are getters where most suggestors never look. */
class SuggestorCall implements SuggestorContext {
  readonly #rules: Rules;
  readonly #context: RunContext;
  readonly #plan: Omit<Suggest, 'type'> & { readonly attempt: StepAttempt };
  readonly #made: Made = { proposals: [], closed: false };
  #refused: string | undefined;
  #charge: Charge | undefined;

  constructor(rules: Rules, context: RunContext, plan: Omit<Suggest, 'type'> & { readonly attempt: StepAttempt }) {
    this.#rules = rules;
    this.#context = context;
    this.#plan = plan;
  }

  get facts(): SuggestorContext['facts'] {
    return viewOf(this.#plan.state.facts, this.#rules.keys);
  }

  get cycle(): number {
    return this.#plan.state.cycle;
  }

  get rejections(): SuggestorContext['rejections'] {
    return viewFor(this.#plan.state, this.#plan.suggestor.name, this.facts).rejections;
  }

  get propose(): ProposeFact {
    return proposeInto(this.#made, this.#plan.suggestor.name);
  }

  get refuse(): SuggestorContext['refuse'] {
    return (reason) => {
      this.#refused = checkReason(reason);
    };
  }

  get charge(): SuggestorContext['charge'] {
    return (charge) => {
      this.#plan.attempt.charge(charge);
      this.#charge = this.#charge === undefined ? charge : addCharges(this.#charge, charge);
    };
  }

  get signal(): SuggestorContext['signal'] {
    return this.#plan.attempt.signal;
  }

  get ledger(): SuggestorContext['ledger'] {
    return this.#context.ledger;
  }

  get clock(): SuggestorContext['clock'] {
    return this.#plan.attempt.clock;
  }

  get attempt(): number {
    return this.#plan.attempt.attempt;
  }

  get idempotencyKey(): string {
    return this.#plan.attempt.idempotencyKey;
  }

  get unseal(): SuggestorContext['unseal'] {
    return this.#plan.attempt.unseal;
  }

  outcome(): SuggestorOutcome {
    this.#made.closed = true;
    const outcome: { -readonly [K in keyof SuggestorOutcome]: SuggestorOutcome[K] } = {
      proposals: this.#made.proposals,
    };
    if (this.#refused !== undefined) outcome.refused = this.#refused;
    if (this.#charge !== undefined) outcome.charge = this.#charge;
    return outcome;
  }
}

/** A refusal without a reason would end the run with nothing that anybody could act on. */
function checkReason(reason: unknown): string {
  if (typeof reason === 'string' && reason.trim() !== '') return reason;
  throw new FullstopError('INVALID_OPTION', `refuse was given ${found(reason)}; it needs a reason, as a text.`);
}

/** The proposals of one call of a suggestor. */
interface Made {
  readonly proposals: Proposal[];
  /** True once it has returned: its proposals are in the journal then. */
  closed: boolean;
}

/** Each proposal is what was said at the call, whatever becomes of the object that it was said with. */
function proposeInto(made: Made, by: string): ProposeFact {
  return (key: string | FactFamily<unknown>, payload: unknown, options: FactOptions = {}): void => {
    if (made.closed)
      throw new FullstopError(
        'INVALID_OPTION',
        `The suggestor ${by} proposes after it has returned; await everything that proposes before that.`,
      );
    made.proposals.push(proposalOf(key, frozenCopy(normalise(payload)), options));
  };
}

/** Runs what a suggestor uses as a unit with an ending of its own; its proposals follow from its output. */
async function runUnit(rules: Rules, { state, suggestor }: Suggest, inner: RunContext): Promise<UnitResult> {
  const { use, input, propose } = suggestor.options as SuggestorUseOptions<unknown, unknown>;
  const view = viewFor(state, suggestor.name, viewOf(state.facts, rules.keys));
  const given = await inner.record('input', () => input(view));
  const definition = spawnedBy(suggestor);
  const ended = definition === undefined ? await use.within(inner, given) : await runApart(definition, inner, given);
  const { termination, output } = ended;
  const proposals =
    categoryOf(rules, termination) === 'success'
      ? await inner.record('propose', async () => {
          const made: Made = { proposals: [], closed: false };
          const seen = { facts: view.facts, cycle: view.cycle, rejections: view.rejections };
          const ended = { output: frozenCopy(output) as JsonValue, termination: frozenCopy(termination) };
          await propose({ ...seen, ...ended, propose: proposeInto(made, suggestor.name) });
          made.closed = true;
          return made.proposals;
        })
      : [];
  const outcome: UnitOutcome = { proposals, path: inner.scope, charge: spent(inner) };
  const also = (ended.also ?? []) as readonly AnyTermination[];
  return { termination: termination as AnyTermination, also, output: outcome as unknown as JsonValue };
}

/** Runs a definition as a run of its own; for the convergence it ends as if it had run inside. */
async function runApart(definition: RunnableDefinition, inner: RunContext, input: unknown): Promise<RunEnd<Ending>> {
  const { termination, also, output } = await asUnitContext(inner).runSpawned(definition, input as JsonValue);
  return { termination, also, ...(output !== undefined && { output }) };
}

function spent({ ledger }: RunContext): Charge {
  const { costUsd, estimated } = ledger;
  const { inputTokens, outputTokens } = ledger.usage;
  return { inputTokens, outputTokens, ...(costUsd !== null && { costUsd }), ...(estimated && { estimated }) };
}
