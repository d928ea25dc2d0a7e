import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { type StandardSchema, schemaPath } from '../../termination/standard-schema.js';

/** Returns the input as its schema reads it; refuses one that does not fit before anything is done with it. */
export async function readInput(
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
