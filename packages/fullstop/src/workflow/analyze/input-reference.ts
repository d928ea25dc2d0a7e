/** An entry of a step's `input` list: what the step may see in explicit context mode. */
export interface InputReference {
  /** `output` of a step, `outputs` or `errors` of a group, or an `input` of the workflow. */
  readonly kind: 'output' | 'outputs' | 'errors' | 'input';
  /** The step, the group or the name of the input. */
  readonly unit: string;
  /** The part of it; empty for all. */
  readonly path: readonly string[];
  /** Whether it may be missing. */
  readonly optional: boolean;
}

const identifier = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Reads `step.output.field`, `step.field`, `group.outputs.member`, `group.errors` or `workflow.input.name`, each with a `?` or not. */
export function readInputReference(text: string): InputReference | undefined {
  const optional = text.endsWith('?');
  const parts = (optional ? text.slice(0, -1) : text).split('.');
  const [unit = '', word = '', ...rest] = parts;
  if (parts.length < 2 || !parts.every((part) => identifier.test(part))) return undefined;
  if (unit === 'workflow' && word === 'input' && rest.length === 1) {
    return { kind: 'input', unit: rest[0] as string, path: [], optional };
  }
  if (word === 'output') return { kind: 'output', unit, path: rest, optional };
  if (word === 'outputs' || word === 'errors') {
    return rest.length > 2 ? undefined : { kind: word, unit, path: rest, optional };
  }
  return unit === 'workflow' ? undefined : { kind: 'output', unit, path: [word, ...rest], optional };
}
