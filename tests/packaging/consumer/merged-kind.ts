import type { StandardSchema } from 'fullstop';
import { type AnyTermination, defineTermination, match, type Termination, terminations } from 'fullstop';

interface Findings {
  readonly findings: number;
}

// A schema by hand, so that the consumer needs no schema library.
const schema: StandardSchema<Findings> = {
  '~standard': {
    version: 1,
    vendor: 'consumer',
    validate: (value) => ({ value: value as Findings }),
  },
};

export const reconciled = defineTermination({
  kind: 'billing.reconciled',
  schema,
  family: 'completion',
  category: 'success',
});

declare module 'fullstop' {
  interface TerminationKinds {
    'billing.reconciled': typeof reconciled;
  }
}

/** The merged kind is known wherever any termination is read. */
export function findingsOf(termination: AnyTermination): number | undefined {
  return termination.kind === 'billing.reconciled' ? termination.findings : undefined;
}

/** It asks for a rest arm, whatever libraries merge. */
export function label(termination: AnyTermination): string {
  return match(termination, {
    'billing.reconciled': (t) => `${t.findings} findings`,
    natural_end: () => 'done',
    _: (t) => t.kind,
  });
}

export function incomplete(termination: AnyTermination): string {
  // @ts-expect-error: without a rest arm a dependency could break this match.
  return match(termination, { natural_end: () => 'done' });
}

/** A closed union does not change with what is merged. */
export function closed(termination: Termination<'natural_end' | 'cancelled'>): string {
  return match(termination, { natural_end: () => 'done', cancelled: (t) => t.by });
}

/** By inference, with no merging needed. */
export function inferred(findings: number): string {
  const ending = findings > 0 ? reconciled({ findings }) : terminations.naturalEnd();
  return match(ending, { 'billing.reconciled': (t) => `${t.findings}`, natural_end: () => 'nothing' });
}
