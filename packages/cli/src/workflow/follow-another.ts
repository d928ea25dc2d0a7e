import { setTimeout as sleep } from 'node:timers/promises';
import { FullstopError } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import type { Workflow, WorkflowResult } from 'fullstop/workflow';

export interface AskedRun {
  readonly workflow: Workflow;
  readonly engine: Engine;
  readonly runId: string;
  /** The segment that asked. */
  readonly segment: number;
  /** Called when someone else was first. */
  readonly onTaken?: () => void;
}

const lookMs = 200;

/** Continues a run whose question was answered. Someone else may have been faster, and then their ending is the ending here, too. */
export async function resumeOrFollow(run: AskedRun, resume: () => Promise<WorkflowResult>): Promise<WorkflowResult> {
  try {
    return await resume();
  } catch (error) {
    if (!FullstopError.is(error) || !takenCodes.has(error.code)) throw error;
    const result = await resultOfAnother(run);
    if (result === undefined) throw error;
    run.onTaken?.();
    return result;
  }
}

/** A run that someone else continues, or has brought to its end. */
const takenCodes: ReadonlySet<string> = new Set(['RESUME_CONFLICT', 'RUN_CLOSED']);

/** Waits for the ending of a later segment; undefined where nobody continues the run. */
export async function resultOfAnother({
  workflow,
  engine,
  runId,
  segment,
}: Omit<AskedRun, 'onTaken'>): Promise<WorkflowResult | undefined> {
  for (;;) {
    const summary = await engine.summary(runId);
    if (summary === undefined || summary.segment <= segment || summary.orphaned === true) return undefined;
    if (summary.kind !== undefined) return workflow.result(runId, { engine });
    await sleep(lookMs);
  }
}
