/** For authors of machines: the fold that decides, the loop that drives it, and the parts of stop conditions. */
/// <reference path="./index.ts" preserve="true" />
export type { LastSeen } from './run/ending/last-seen.js';
export { driveLazily as drive } from './run/load-runtime.js';
export type { DriveOptions } from './run/machine/drive.js';
export { foldJournal } from './run/machine/fold-journal.js';
export type {
  Machine,
  MachineDecision,
  MachineEffect,
  MachineObservation,
  MachinePast,
  MachinePerformer,
} from './run/machine/machine.js';
export type { Abandonable } from './run/process/sweep.js';
export type { UnitDefinition } from './run/unit-definition.js';
export type { ConditionFold, ConditionPressure, InFlightLimits } from './stop/condition.js';
export { type EarlierEnding, foldLimits } from './stop/fold-limits.js';
export type {
  CallKeys,
  EvaluationPoint,
  FailedCall,
  HardLimits,
  LoopObservation,
  ObservedCall,
  ObservedText,
  ObservedUsage,
  SucceededCall,
} from './stop/observation.js';
