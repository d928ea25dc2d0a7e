import { isObject } from '../../termination/json.js';

/** Each warning in a line; the versions name its parts differently. */
export function readWarnings(warnings: readonly unknown[]): readonly string[] {
  return warnings.map(readWarning);
}

function readWarning(warning: unknown): string {
  if (!isObject(warning)) return String(warning);
  const { message, details, feature, setting, tool, type } = warning;
  const subject = [feature, setting, isObject(tool) ? tool['name'] : undefined].find(
    (name) => typeof name === 'string',
  );
  const text = [message, details].find((candidate) => typeof candidate === 'string');
  return [String(type ?? 'warning'), subject, text].filter((word) => word !== undefined).join(': ');
}
