import { checkOptions, someFunction, someText, trueOrFalse } from '../../stop/check-option.js';
import type { FactView } from '../facts/fact-view.js';
import type { FactCandidate } from './gate.js';

/** Lets a proposal pass (true), or says why not. */
export type AdmitProposal = (proposal: FactCandidate, facts: FactView) => boolean | string | Promise<boolean | string>;

/** A rule that every proposal has to pass before it becomes a fact. */
export interface PromotionGate<TFatal extends boolean = boolean> {
  readonly name: string;
  readonly admit: AdmitProposal;
  /** True to end the run as `promotion_rejected`; otherwise the rejection is noted and the run continues. */
  readonly fatal: TFatal;
}

/**
 * Defines a promotion gate.
 *
 * @example
 * promotionGate('cap', ({ payload }) => payload.amount < 50_000 || 'above the cap');
 */
export function promotionGate<const TOptions extends PromotionGateOptions = Record<never, never>>(
  name: string,
  admit: AdmitProposal,
  options?: TOptions,
): PromotionGate<TOptions extends { readonly fatal: true } ? true : false> {
  someText(name, { builder: 'promotionGate', option: 'name' });
  const builder = `promotionGate ${name}`;
  someFunction(admit, { builder, option: 'admit' });
  const { fatal = false } = checkOptions<PromotionGateOptions>(options ?? {}, builder, ['fatal']);
  trueOrFalse(fatal, { builder, option: 'fatal' });
  return { name, admit, fatal: fatal as TOptions extends { readonly fatal: true } ? true : false };
}

/** Options of `promotionGate`. */
export interface PromotionGateOptions {
  /** True to end the run with the first proposal that does not pass. */
  readonly fatal?: boolean;
}
