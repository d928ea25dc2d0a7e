// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export { ConformanceFailure, check, checkEqual, checkKind, checkPresent, checkRefused } from './check.js';
export { checkJournal } from './check-journal.js';
export type { ConformanceCase, ConformanceHarness, ConformanceNeed } from './conformance/conformance-case.js';
export type { EndingScenario } from './endings/ending-scenario.js';
export {
  type EndingCase,
  type EveryEnding,
  type EveryEndingOptions,
  everyEnding,
  type UndrivenEnding,
} from './endings/every-ending.js';
export { engineConformance } from './engine-conformance.js';
export { type Fault, type FaultEffect, type FaultPoint, type RandomPlanOptions, randomFaults } from './fault-plan.js';
export { type FaultyEngine, faultyEngine } from './faulty-engine.js';
export { InjectedFault } from './faulty-session.js';
export {
  type MatcherResult,
  type ReceivedKind,
  type SomeEvidence,
  type TerminationMatchers,
  terminationMatchers,
} from './matchers/termination-matchers.js';
export { loadRun, type RecordedRun, saveRun } from './recorded-run.js';
export {
  createRecording,
  type ModelRecording,
  parseScript,
  type RecordingSink,
  recordModel,
  type Script,
  type ScriptAnswer,
  type ScriptErrorWord,
  type ScriptedAnswers,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptHttpError,
  type ScriptPart,
  type ScriptReasoning,
  type ScriptThrownError,
  type ScriptToolCall,
  type ScriptUsage,
  scriptedModel,
} from './scripted-model.js';
export { seededRandom } from './seeded-random.js';
export { type SimulatedClock, type SimulatedClockOptions, simulatedClock } from './simulated-clock.js';
