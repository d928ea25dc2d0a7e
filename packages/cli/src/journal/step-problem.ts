import type { EntryData } from 'fullstop/journal';
import { parseStepKey } from 'fullstop/journal';

/** Why a step failed, if it did. Steps of workflows that only compute keep their failure in the value. */
export function stepProblem(key: string, data: EntryData['recorded']): string | undefined {
  if (!data.ok) return data.error.message;
  if (parseStepKey(key)?.type !== 'set') return undefined;
  const { problem } = (data.value ?? {}) as { readonly problem?: { readonly error?: { readonly message?: string } } };
  return problem === undefined ? undefined : (problem.error?.message ?? 'It failed.');
}
