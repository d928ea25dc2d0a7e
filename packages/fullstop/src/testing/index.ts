export { ConformanceFailure, check, checkEqual, checkKind, checkPresent, checkRefused } from './check.js';
export { checkJournal } from './check-journal.js';
export type { ConformanceCase, ConformanceHarness, ConformanceNeed } from './conformance/conformance-case.js';
export { engineConformance } from './engine-conformance.js';
export { type Fault, type FaultEffect, type FaultPoint, type RandomPlanOptions, randomFaults } from './fault-plan.js';
export { type FaultyEngine, faultyEngine } from './faulty-engine.js';
export { InjectedFault } from './faulty-session.js';
export { seededRandom } from './seeded-random.js';
export { type SimulatedClock, type SimulatedClockOptions, simulatedClock } from './simulated-clock.js';
