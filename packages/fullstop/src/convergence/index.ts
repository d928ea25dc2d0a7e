export type { Budgets } from './budgets.js';
export { type ConvergeOptions, converge } from './converge.js';
export { type ConvergeFact, convergeKeys, convergeLeaf, convergeRoot, convergeRootOfTexts } from './converge-root.js';
export type { Convergence, ConvergenceResult, ConvergenceResumeOptions, EndWithin } from './convergence.js';
export type {
  ConvergenceInput,
  ConvergenceOptions,
  ConvergenceSummary,
  OscillationOptions,
} from './convergence-options.js';
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
} from './criterion.js';
export { defineConvergence } from './define-convergence.js';
export type { Explanation } from './explain.js';
export { type Approval, type Fact, type FactOptions, type FactOrRef, fact, type Proposal } from './fact.js';
export type { FactView } from './fact-view.js';
export { type Family, type FamilyOptions, family } from './family.js';
export { type Candidate, type Gate, type GateOptions, gate } from './gate.js';
export { type InclusionProof, verifyInclusion } from './inclusion-proof.js';
export {
  acceptance,
  type Breach,
  type Invariant,
  type InvariantCheck,
  type InvariantVerdict,
  semantic,
  structural,
} from './invariant.js';
export {
  type BudgetKinds,
  type ConvergenceEnding,
  type ConvergenceKind,
  type ConvergenceOutput,
  type InputOf,
  possibleKinds as possibleConvergenceKinds,
} from './kinds.js';
export { type Admit, type PromotionGate, type PromotionGateOptions, promotionGate } from './promotion-gate.js';
export type { Rejection } from './rejection.js';
export { checkSnapshot, type Snapshot } from './snapshot.js';
export type { CycleRecord, Failure, GateRecord } from './state.js';
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
} from './suggestor.js';
