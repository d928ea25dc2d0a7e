import { isObject } from '../../journal/is-object.js';
import type { RunRecord } from '../../why/explain-run.js';
import { readRunStart } from '../../workflow/run-start.js';
import type { WorkflowForm } from '../api/workflows.js';
import { ApiError } from '../http/api-error.js';
import { workflowDrawing } from '../view/workflow-drawing.js';
import { formOf } from './workflow-files.js';

/** The form of a run's workflow, with the inputs that the run was started with. */
export async function retryForm(
  { journal, summary: { runId } }: Pick<RunRecord, 'journal' | 'summary'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<WorkflowForm> {
  const loaded = await workflowDrawing(journal, { ...env });
  if (loaded === undefined)
    throw new ApiError(`There is no form for ${runId}: it is no run of a workflow file, or its files no longer load.`, {
      status: 404,
      code: 'FORM_NOT_FOUND',
    });
  const { inputs: text, source } = readRunStart(journal);
  const given: unknown = JSON.parse(text);
  const form = formOf(source.file, loaded);
  const inputOf = (name: string, usual: unknown): unknown =>
    isObject(given) && Object.hasOwn(given, name) ? given[name] : usual;
  return { ...form, inputs: form.inputs.map((input) => ({ ...input, default: inputOf(input.name, input.default) })) };
}
