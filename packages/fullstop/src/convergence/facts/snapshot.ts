import { frozenCopy } from '../../run/frozen.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import { type Fact, factFields, problemOf } from './fact.js';
import { emptyFacts, FactAppender, type FactLog, factsOf, rootText } from './fact-log.js';
import { makeFactRef } from './fact-ref.js';

const format = 'fullstop.convergence/1';

/** The facts of a run as JSON, from which another run can continue. */
export interface FactSnapshot {
  readonly format: typeof format;
  readonly facts: readonly Omit<Fact, 'ref'>[];
  /** The root over all of them, with everything that each one says. */
  readonly root: string;
}

export function snapshotOf(log: FactLog): FactSnapshot {
  const facts = factsOf(log).map(({ ref: _ref, ...rest }) => rest);
  return { format, facts, root: rootText(log) };
}

/**
 * Checks a snapshot, and returns it: ids, clocks and the root must fit its facts. Whoever changed a fact can also write
 * another root, so compare with a root that was kept elsewhere where that matters.
 */
export function checkSnapshot(value: unknown, expected: { readonly root?: string } = {}): FactSnapshot {
  if (!isObject(value) || value['format'] !== format || !Array.isArray(value['facts']))
    throw invalid(`it is ${found(value)} and not of the format ${format}`);
  const snapshot = value as unknown as FactSnapshot;
  const facts = new FactAppender(emptyFacts());
  for (const [index, each] of snapshot.facts.entries()) addChecked(facts, each, index);
  const root = rootText(facts.log());
  if (root !== snapshot.root) throw invalid(`its facts have the root ${root}, but it says ${found(snapshot.root)}`);
  if (expected.root !== undefined && expected.root !== root)
    throw invalid(`its facts have the root ${root}, but ${expected.root} was expected`);
  return snapshot;
}

function addChecked(facts: FactAppender, value: unknown, index: number): void {
  const problem = wrongForm(value);
  if (problem !== undefined) throw invalid(`fact ${index} ${problem}`);
  const fact = value as unknown as Omit<Fact, 'ref'>;
  const { key, id, clock } = fact;
  if (clock !== index + 1) throw invalid(`fact ${index} has the clock ${found(clock)}; it must be ${index + 1}`);
  const ref = makeFactRef(key, id);
  if (facts.find(key, id) !== undefined) throw invalid(`the id ${ref} is there twice`);
  // A copy: the snapshot is the caller's, who may keep changing it.
  facts.add(frozenCopy({ ...fact, ref }));
}

/** The problem with the form of a fact that comes from elsewhere: only what its leaf says, and as it says it. */
export function wrongForm(value: unknown): string | undefined {
  if (!isObject(value)) return `is ${found(value)}`;
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(factFields, name));
  if (unknown !== undefined) return `has the field ${JSON.stringify(unknown)}, which no fact has`;
  const fact = value as unknown as Omit<Fact, 'ref'>;
  const { id, family, version, by, provenance, cycle, confidence, approval } = fact;
  const problem = problemOf(fact);
  if (problem !== undefined) return `is wrong: ${problem}`;
  const texts = [id, family, by, provenance].every((each) => typeof each === 'string');
  const numbers = [version, cycle, confidence].every((each) => typeof each === 'number');
  if (!texts || !numbers) return 'lacks something that every fact has';
  return approval === undefined || isObject(approval) ? undefined : `has the approval ${found(approval)}`;
}

function invalid(why: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `The snapshot cannot be restored: ${why}.`);
}
