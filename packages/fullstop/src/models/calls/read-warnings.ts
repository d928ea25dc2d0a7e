import { isObject } from '../../termination/json.js';

/** Each warning in a line; the versions name its parts differently. Nothing when there are none. */
export function readWarnings(warnings: unknown): readonly string[] | undefined {
  if (!Array.isArray(warnings) || warnings.length === 0) return undefined;
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
