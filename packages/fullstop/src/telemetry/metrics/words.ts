import { needlrCase, needlrCases } from '../../dialects/needlr.js';
import type { DialectWords } from '../../termination/define-termination.js';
import type { Outcome } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { builtIns } from '../../termination/registry.js';
import type { TelemetryOptions } from '../options.js';

/** An ending, with what the journal says about its words. */
export interface NamedEnding {
  readonly termination: AnyTermination;
  /** Its kind, a declared custom tag, or a third party's own tag. */
  readonly tag: string;
  /** The words that the definition of a third-party kind declares, by dialect. */
  readonly dialects?: DialectWords | undefined;
}

/** How an ending is called in the `pipeline.*` instruments. */
export interface Words {
  outcome(outcome: Outcome): string;
  cause(ending: NamedEnding): string;
}

const own: Words = { outcome: (outcome) => outcome, cause: ({ tag }) => tag };

const needlrOutcomes: Readonly<Record<Outcome, string>> = {
  succeeded: 'Succeeded',
  skipped: 'Skipped',
  // Needlr has no other word for work that is not done.
  paused: 'Failed',
  cancelled: 'Failed',
  failed: 'Failed',
};

const needlr: Words = {
  outcome: (outcome) => needlrOutcomes[outcome],
  cause({ termination, tag, dialects }) {
    const { kind } = termination;
    if (builtIns.find(kind) === undefined) return typeof dialects?.['needlr'] === 'string' ? dialects['needlr'] : tag;
    // A declared tag says more than the general case.
    return tag === kind ? needlrCase(termination) : tag;
  },
};

export function wordsOf(dialect: TelemetryOptions['dialect']): Words {
  return dialect === 'needlr' ? needlr : own;
}

/** True for words of a closed list, which dashboards ask for. */
export function isCommonCause(word: string): boolean {
  return builtIns.find(word) !== undefined || needlrCases.has(word);
}
