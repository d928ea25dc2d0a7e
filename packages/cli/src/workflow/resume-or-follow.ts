import { setTimeout as sleep } from 'node:timers/promises';
import { FullstopError } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import type { Workflow, WorkflowResult } from 'fullstop/workflow';
import type { Segment } from './follow-run.js';
import { resumeOptions } from './resume-options.js';

export interface Answered {
  readonly runId: string;
  /** The segment that asked. */
  readonly segment: number;
}

const lookMs = 200;

/** Continues a run whose question was answered. A worker may be faster, and then its ending is the ending here, too. */
export async function resumeOrFollow(
  workflow: Workflow,
  segment: Segment,
  answered: Answered,
): Promise<WorkflowResult> {
  try {
    return await workflow.resume(answered.runId, resumeOptions(segment));
  } catch (error) {
    if (!FullstopError.is(error) || !takenCodes.has(error.code)) throw error;
    const result = await resultOfAnother(workflow, segment.engine, answered);
    if (result === undefined) throw error;
    return result;
  }
}

/** A run that someone else continues, or has brought to its end. */
const takenCodes: ReadonlySet<string> = new Set(['RESUME_CONFLICT', 'RUN_CLOSED']);

/** Waits for the ending of a later segment; undefined where nobody continues the run. */
async function resultOfAnother(
  workflow: Workflow,
  engine: Engine,
  { runId, segment }: Answered,
): Promise<WorkflowResult | undefined> {
  for (;;) {
    const summary = await engine.summary(runId);
    if (summary === undefined || summary.segment <= segment || summary.orphaned === true) return undefined;
    if (summary.kind !== undefined) return workflow.result(runId, { engine });
    await sleep(lookMs);
  }
}
