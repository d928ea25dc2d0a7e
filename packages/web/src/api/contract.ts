/** The bodies of the HTTP API, as the server declares them. */
export type {
  ActionReceipt,
  AnswerBody,
  CancelBody,
  ForkBody,
  ResumeBody,
  RetryBody,
  StartBody,
} from '../../../cli/src/dashboard/api/action-bodies.js';
export type { ApiErrorBody } from '../../../cli/src/dashboard/api/api-error.js';
export type { BulkBody, BulkItem, BulkResult } from '../../../cli/src/dashboard/api/bulk.js';
export type { RunsChanged } from '../../../cli/src/dashboard/api/live-events.js';
export type { NextStep, SuggestedAction } from '../../../cli/src/dashboard/api/next-step.js';
export type { Bucket, EndingGroup, EndingTally, Overview } from '../../../cli/src/dashboard/api/overview.js';
export type { RequestList, RequestRow } from '../../../cli/src/dashboard/api/requests.js';
export type { Look, RunPageBody, RunRow } from '../../../cli/src/dashboard/api/run-row.js';
export type { Session } from '../../../cli/src/dashboard/api/session.js';
export type { WorkflowFile, WorkflowForm, WorkflowList } from '../../../cli/src/dashboard/api/workflows.js';
