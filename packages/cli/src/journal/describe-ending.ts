import { type AnyTermination, allKinds, type Category, category, describe, type JsonValue, rootCause } from 'fullstop';
import { valueText } from './value-text.js';

const known: ReadonlySet<string> = new Set(allKinds());

/** One sentence about an ending, also of a kind that this program never saw. */
export function describeEnding(termination: AnyTermination): string {
  if (known.has(termination.kind)) return describe(termination);
  const evidence = evidenceOf(termination);
  return evidence.length === 0
    ? `Ended as ${termination.kind}.`
    : `Ended as ${termination.kind}: ${evidence.join(', ')}.`;
}

/** True for a kind that the library itself defines. */
export function isKnownKind({ kind }: AnyTermination): boolean {
  return known.has(kind);
}

/** The fields of an ending, one by one. */
export function evidenceOf(termination: AnyTermination): readonly string[] {
  const { kind: _kind, ...fields } = termination as { readonly kind: string; readonly [field: string]: JsonValue };
  return Object.entries(fields).map(([name, value]) => `${name} = ${valueText(value, 60)}`);
}

/** The category of a unit's ending; undefined for a kind that only its own program knows. */
export function categoryOf(termination: AnyTermination): Category | undefined {
  return known.has(rootCause(termination).kind) ? category(termination) : undefined;
}
