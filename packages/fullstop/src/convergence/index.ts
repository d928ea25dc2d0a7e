// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export type { ConvergenceBudgets } from '../run/changes/budgets.js';
export { type ConvergeOptions, converge } from './converge.js';
export type { Convergence, ConvergenceEnd, ConvergenceResult, ConvergenceResumeOptions } from './convergence.js';
export { defineConvergence } from './define-convergence.js';
export {
  type ConvergeFact,
  convergeKeys,
  convergeLeaf,
  convergeRoot,
  convergeRootOfTexts,
} from './facts/converge-root.js';
export { type Fact, type FactApproval, type FactOptions, type FactOrRef, fact, type Proposal } from './facts/fact.js';
export type { FactView } from './facts/fact-view.js';
export { type InclusionProof, verifyInclusion } from './facts/inclusion-proof.js';
export type { ProposalRejection } from './facts/rejection.js';
export { checkSnapshot, type FactSnapshot } from './facts/snapshot.js';
export {
  type BudgetKinds,
  type ConvergenceEnding,
  type ConvergenceKind,
  type ConvergenceOutput,
  type InputOf,
  possibleKinds as possibleConvergenceKinds,
} from './kinds.js';
export type { FactExplanation } from './machine/explain.js';
export type { CycleRecord, GateRecord, SuggestorFailure } from './machine/state.js';
export type {
  ConvergenceInput,
  ConvergenceOptions,
  ConvergenceSummary,
  OscillationOptions,
} from './options/convergence-options.js';
export {
  blocked,
  type ConvergenceIntent,
  type Criterion,
  type CriterionSettlement,
  type CriterionStatus,
  type CriterionVerdict,
  type CriterionView,
  criterion,
  type EvaluateCriterion,
  met,
  unmet,
} from './options/criterion.js';
export { type FactFamily, type FactFamilyOptions, family } from './options/family.js';
export { type FactCandidate, type Gate, type GateOptions, gate } from './options/gate.js';
export {
  acceptance,
  type Invariant,
  type InvariantBreach,
  type InvariantCheck,
  type InvariantVerdict,
  semantic,
  structural,
} from './options/invariant.js';
export {
  type AdmitProposal,
  type PromotionGate,
  type PromotionGateOptions,
  promotionGate,
} from './options/promotion-gate.js';
export {
  type AnySuggestor,
  type ProposeFact,
  type RunsWithin,
  type Suggestor,
  type SuggestorContext,
  type SuggestorExecuteOptions,
  type SuggestorRules,
  type SuggestorUnitView,
  type SuggestorUseOptions,
  type SuggestorView,
  suggestor,
} from './options/suggestor.js';
