import { frameCondition as oldCondition } from './version-3.js';

/** As before, but what most entries are is ruled out first: every append asks this. Queries must use the very same words. */
export const frameCondition: string = `(type <> 'step_ended' AND ${oldCondition})`;

export const version4: string = `
DROP INDEX journal_frame;
CREATE INDEX journal_frame ON journal (run, seq) WHERE ${frameCondition};
`;
