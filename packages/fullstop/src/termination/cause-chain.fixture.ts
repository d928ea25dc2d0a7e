import type { ChildFailed } from './kinds/error.js';
import type { AnyTermination } from './kinds.js';

/** A chain of `child_failed` endings of that many levels around a root cause. */
export function causeChainOf(levels: number, root: AnyTermination): ChildFailed {
  let chain = childFailed('level-1', root);
  for (let level = 2; level <= levels; level += 1) chain = childFailed(`level-${level}`, chain);
  return chain;
}

/** A `child_failed` whose chain of causes comes back to itself. */
export function circularCause(): ChildFailed {
  const inner: { -readonly [K in keyof ChildFailed]: ChildFailed[K] } = childFailed('inner', { kind: 'natural_end' });
  const outer = childFailed('outer', inner);
  inner.termination = outer;
  return outer;
}

function childFailed(name: string, termination: AnyTermination): ChildFailed {
  return { kind: 'child_failed', child: { name, path: name }, termination };
}
