import type { AnyTermination, Category, JsonValue } from 'fullstop';
import { categoryOf, describeEnding, isKnownKind } from '../../journal/describe-ending.js';
import { allUnits, spentBy, type UnitNode } from '../../journal/unit-tree.js';
import { shortDuration, spentCost, valueText } from '../../journal/value-text.js';
import { bodyOf, type UnitBody } from './body-of.js';
import type { NodeNames } from './node-names.js';

/** A unit of a run with its ending, for the card that opens wherever an ending is shown. */
export interface UnitView {
  readonly path: string;
  /** Its node in the graph, which all visits share. */
  readonly node: string;
  readonly name: string;
  readonly body: UnitBody;
  readonly seq: number;
  readonly endSeq?: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** How long it worked, without waits for people. */
  readonly duration?: string;
  readonly attempts: number;
  readonly ending?: EndingView;
  readonly also: readonly string[];
  readonly tokens: number;
  /** `$0.02`, `?` where a price is not known; empty where nothing was spent. */
  readonly cost: string;
  readonly output?: string;
  readonly spawned: readonly { readonly runId: string; readonly name: string }[];
}

export interface EndingView {
  readonly kind: string;
  readonly category?: Category;
  readonly sentence: string;
  /** False for a kind that only its own program knows. */
  readonly known: boolean;
  readonly termination: AnyTermination;
}

/** More units than this are not listed; the count says how many there are. */
const mostUnits = 5000;

/** The units of a run, each before those inside it, and how many there are in all. */
export function unitViews(
  root: UnitNode,
  names: NodeNames,
): { readonly units: readonly UnitView[]; readonly total: number } {
  const all = allUnits(root);
  return { units: all.slice(0, mostUnits).map((unit) => unitView(unit, names)), total: all.length };
}

function unitView(unit: UnitNode, names: NodeNames): UnitView {
  const { path, name, seq, endSeq, startedAt, endedAt, activeMs, attempts, termination, also, output, spawned } = unit;
  const isOver = endedAt !== undefined;
  const spent = spentBy(unit);
  return {
    path,
    node: names.idOf(path),
    name,
    body: bodyOf(unit),
    seq,
    startedAt,
    attempts,
    also: also.map(describeEnding),
    tokens: spent.tokens,
    cost: spentCost(spent),
    spawned,
    ...(endSeq !== undefined && { endSeq }),
    ...(isOver && { endedAt, duration: shortDuration(activeMs) }),
    ...(isOver && termination !== undefined && { ending: endingView(termination) }),
    ...(output !== undefined && { output: outputText(output) }),
  };
}

export function endingView(termination: AnyTermination): EndingView {
  const category = categoryOf(termination);
  return {
    kind: termination.kind,
    ...(category !== undefined && { category }),
    sentence: describeEnding(termination),
    known: isKnownKind(termination),
    termination,
  };
}

function outputText(output: JsonValue): string {
  return valueText(output, 600);
}
