import { batchCases } from './conformance/batches.js';
import { budgetCases } from './conformance/budgets.js';
import { cancelCases } from './conformance/cancels.js';
import { childCases } from './conformance/children.js';
import type { ConformanceCase } from './conformance/conformance-case.js';
import { deadlineCases } from './conformance/deadlines.js';
import { journalCases } from './conformance/journals.js';
import { listCases } from './conformance/lists.js';
import { onceStepCases } from './conformance/once-steps.js';
import { replayCases } from './conformance/replay.js';
import { resumeCases } from './conformance/resumes.js';
import { spawnCases } from './conformance/spawns.js';
import { stepCases } from './conformance/steps.js';
import { turnCases } from './conformance/turns.js';
import { waitCases } from './conformance/waits.js';
import { workerCases } from './conformance/workers.js';

/** The duties of every engine, for any test runner: call `run` of each case whose needs the engine meets. */
export const engineConformance: readonly ConformanceCase[] = [
  ...stepCases,
  ...onceStepCases,
  ...replayCases,
  ...waitCases,
  ...deadlineCases,
  ...cancelCases,
  ...childCases,
  ...spawnCases,
  ...batchCases,
  ...budgetCases,
  ...resumeCases,
  ...journalCases,
  ...listCases,
  ...turnCases,
  ...workerCases,
];
