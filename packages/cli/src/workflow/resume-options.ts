import type { WorkflowResumeOptions } from 'fullstop/workflow';
import type { Segment } from './follow-run.js';

/** The options of a resume that a segment asks for. */
export function resumeOptions({ engine, onEntry, answers, changes = {} }: Segment): WorkflowResumeOptions {
  const { maxIterations, tokens, costUsd, timeoutMs } = changes;
  return {
    engine,
    onEntry,
    ...(answers !== undefined && { answers }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(costUsd !== undefined && { budgetUsd: costUsd }),
    ...(timeoutMs !== undefined && { timeoutSeconds: timeoutMs / 1000 }),
    ...(tokens !== undefined && { limits: { tokens } }),
  };
}
