// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export type { Budgets } from '../run/changes/budgets.js';
export { type ConvergeOptions, converge } from './converge.js';
export type { Convergence, ConvergenceResult, ConvergenceResumeOptions, EndWithin } from './convergence.js';
export { defineConvergence } from './define-convergence.js';
export {
  type ConvergeFact,
  convergeKeys,
  convergeLeaf,
  convergeRoot,
  convergeRootOfTexts,
} from './facts/converge-root.js';
export { type Approval, type Fact, type FactOptions, type FactOrRef, fact, type Proposal } from './facts/fact.js';
export type { FactView } from './facts/fact-view.js';
export { type InclusionProof, verifyInclusion } from './facts/inclusion-proof.js';
export type { Rejection } from './facts/rejection.js';
export { checkSnapshot, type Snapshot } from './facts/snapshot.js';
export {
  type BudgetKinds,
  type ConvergenceEnding,
  type ConvergenceKind,
  type ConvergenceOutput,
  type InputOf,
  possibleKinds as possibleConvergenceKinds,
} from './kinds.js';
export type { Explanation } from './machine/explain.js';
export type { CycleRecord, Failure, GateRecord } from './machine/state.js';
export type {
  ConvergenceInput,
  ConvergenceOptions,
  ConvergenceSummary,
  OscillationOptions,
} from './options/convergence-options.js';
export {
  blocked,
  type Criterion,
  type CriterionStatus,
  type CriterionVerdict,
  type CriterionView,
  criterion,
  type EvaluateCriterion,
  type Intent,
  met,
  type Settlement,
  unmet,
} from './options/criterion.js';
export { type Family, type FamilyOptions, family } from './options/family.js';
export { type Candidate, type Gate, type GateOptions, gate } from './options/gate.js';
export {
  acceptance,
  type Breach,
  type Invariant,
  type InvariantCheck,
  type InvariantVerdict,
  semantic,
  structural,
} from './options/invariant.js';
export { type Admit, type PromotionGate, type PromotionGateOptions, promotionGate } from './options/promotion-gate.js';
export {
  type AnySuggestor,
  type ExecuteOptions,
  type Propose,
  type RunsWithin,
  type Suggestor,
  type SuggestorContext,
  type SuggestorRules,
  type SuggestorView,
  suggestor,
  type UnitView,
  type UseOptions,
} from './options/suggestor.js';
