import type { Target } from '../language/ast.js';
import { NamespaceValue } from '../library/namespace.js';
import type { Value } from '../value.js';
import { evaluation } from './evaluation.js';
import { runtimeFault, undefinedFault } from './fault.js';
import type { Frame } from './frame.js';
import { unpack } from './iterate.js';

/** Assigns a value to a target. */
export type Assign = (frame: Frame, value: Value) => void;

/** Compiles an assignment target. */
export function compileTarget(target: Target): Assign {
  switch (target.kind) {
    case 'name': {
      const { name } = target;
      return (frame, value) => frame.set(name, value);
    }
    case 'member':
      return (frame, value) => setMember(frame, target, value);
    case 'targets': {
      const items = target.items.map(compileTarget);
      return (frame, value) => {
        evaluation.at = target.at;
        const values = unpack(value, items.length);
        for (const [index, assign] of items.entries()) assign(frame, values[index] as Value);
      };
    }
  }
}

function setMember(frame: Frame, { at, member, name }: Extract<Target, { kind: 'member' }>, value: Value): void {
  const owner = frame.lookup(name);
  evaluation.at = at;
  if (owner === undefined) throw undefinedFault(`'${name}' is undefined`);
  if (!(owner instanceof NamespaceValue)) {
    throw runtimeFault('TemplateRuntimeError', 'cannot assign attribute on non-namespace object');
  }
  owner.set(member, value);
}
