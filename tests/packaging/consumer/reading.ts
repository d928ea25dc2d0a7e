import { category, describe, isLimit, type Termination } from 'fullstop';

export function report(termination: Termination): string {
  const hint = isLimit(termination) ? ', a limit' : '';
  return `${termination.kind} (${category(termination)}${hint}): ${describe(termination)}`;
}

export function roundsUsed(termination: Termination): number | undefined {
  return termination.kind === 'max_iterations' ? termination.used : undefined;
}
