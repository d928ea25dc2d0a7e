import type { z } from 'zod';
import type { Acting } from '../actions/acting.js';
import { answerRun } from '../actions/answer-run.js';
import { applyBulk, previewBulk } from '../actions/bulk.js';
import { cancelRun } from '../actions/cancel-run.js';
import { forkRun } from '../actions/fork-run.js';
import { resumeRun } from '../actions/resume-run.js';
import { retryRun } from '../actions/retry-run.js';
import { startWorkflow } from '../actions/start-workflow.js';
import {
  type ActionReceipt,
  actionReceiptSchema,
  answerBodySchema,
  cancelBodySchema,
  forkBodySchema,
  resumeBodySchema,
  retryBodySchema,
  startBodySchema,
} from '../api/action-bodies.js';
import { bulkBodySchema, bulkResultSchema } from '../api/bulk.js';
import { workflowFormSchema, workflowListSchema } from '../api/workflows.js';
import { type ApiRoute, jsonRoute } from '../http/route.js';
import { workflowFiles, workflowForm } from '../reads/workflow-files.js';
import type { DashboardSurroundings } from '../surroundings.js';

/** The routes that change something, and what is needed to start something. */
export function actionRoutes(around: DashboardSurroundings): readonly ApiRoute[] {
  const { store, by, cwd, env, ensureWorker } = around;
  const acting: Acting = { store, engine: store.engine, by, cwd, env, ensureWorker };
  const action = <TBody extends z.ZodType>(
    name: string,
    summary: string,
    body: TBody,
    act: (acting: Acting, id: string, body: z.output<TBody>) => Promise<ActionReceipt>,
  ): ApiRoute =>
    jsonRoute({
      method: 'post',
      path: `/runs/:id/${name}`,
      summary,
      body,
      response: actionReceiptSchema,
      handle: ({ params, body: given }) => act(acting, params['id'] ?? '', given),
    });
  return [
    action('answer', 'Answers what a run asks', answerBodySchema, answerRun),
    action('cancel', 'Stops a run, after its undo steps', cancelBodySchema, cancelRun),
    action('resume', 'Resumes a run where it stopped', resumeBodySchema, resumeRun),
    action('fork', 'Makes a new run with a copy of the journal up to an entry', forkBodySchema, forkRun),
    action('retry', 'Starts a new run with the same inputs', retryBodySchema, retryRun),
    jsonRoute({
      method: 'post',
      path: '/bulk/preview',
      summary: 'Says what an action would do to each of many runs',
      changes: false,
      body: bulkBodySchema,
      response: bulkResultSchema,
      handle: ({ body }) => previewBulk(acting, body),
    }),
    jsonRoute({
      method: 'post',
      path: '/bulk/apply',
      summary: 'Does it',
      body: bulkBodySchema,
      response: bulkResultSchema,
      handle: ({ body }) => applyBulk(acting, body),
    }),
    jsonRoute({
      method: 'get',
      path: '/workflows',
      summary: 'The workflow files of the folder',
      response: workflowListSchema,
      handle: () => workflowFiles(cwd, env),
    }),
    jsonRoute({
      method: 'get',
      path: '/workflows/:file/form',
      summary: 'The inputs of a workflow file',
      response: workflowFormSchema,
      handle: ({ params }) => workflowForm(cwd, params['file'] ?? '', env),
    }),
    jsonRoute({
      method: 'post',
      path: '/workflows/:file/start',
      summary: 'Starts a workflow file',
      body: startBodySchema,
      response: actionReceiptSchema,
      handle: ({ params, body }) => startWorkflow(acting, params['file'] ?? '', body),
    }),
  ];
}
