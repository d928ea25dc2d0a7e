import { category, describe, isFamily, type Termination } from 'fullstop';

export function report(termination: Termination): string {
  const hint = isFamily(termination, 'limit') ? ', a limit' : '';
  return `${termination.kind} (${category(termination)}${hint}): ${describe(termination)}`;
}

export function roundsUsed(termination: Termination): number | undefined {
  return termination.kind === 'max_iterations' ? termination.used : undefined;
}
