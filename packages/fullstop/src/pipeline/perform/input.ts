import { FullstopError } from '../../termination/fullstop-error.js';
import { type StandardSchema, schemaPath } from '../../termination/standard-schema.js';

/** The input as its schema gives it; refused before anything is done with it if it does not fit. */
export async function checkedInput(
  schema: StandardSchema | undefined,
  input: unknown,
  pipeline: string,
): Promise<unknown> {
  if (schema === undefined) return input;
  const result = await schema['~standard'].validate(input);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map((issue) => ({
    code: 'invalid' as const,
    path: schemaPath(issue),
    message: issue.message,
  }));
  const shown = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  throw new FullstopError('INVALID_OPTION', `The input of the pipeline ${pipeline} does not fit: ${shown}.`, {
    issues,
  });
}
