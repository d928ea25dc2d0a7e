import type { Scope } from '../scope.js';
import type { Value } from '../value.js';
import type { Output } from './output.js';

/** Runs a statement. */
export type Execute = (frame: Frame, out: Output) => void;

/** The meaning of a name to which no statement of the template assigned a value. */
export interface Names {
  lookup(name: string): Value | undefined;
  declares?(name: string): boolean;
}

/** One rendering of a template together with the templates it extends. */
export interface Context {
  readonly names: Names;
  /** The versions of every block, the outermost child's first. */
  readonly blocks: Map<string, Execute[]>;
  readonly load: (name: string) => LoadedTemplate | undefined;
  /** The variables that loaded templates see when they are imported without context. */
  readonly globals: Names;
  /** Set once `extends` was executed. */
  parent: LoadedTemplate | undefined;
}

/** A compiled template as other templates see it. */
export interface LoadedTemplate {
  readonly name: string | undefined;
  readonly blocks: ReadonlyMap<string, Execute>;
  run(frame: Frame, out: Output): void;
}

/** A level of local variables. */
export class Frame {
  readonly context: Context;
  readonly parent: Frame | undefined;
  #variables: Map<string, Value> | undefined;

  constructor(context: Context, parent: Frame | undefined) {
    this.context = context;
    this.parent = parent;
  }

  lookup(name: string): Value | undefined {
    let frame: Frame | undefined = this;
    while (frame !== undefined) {
      const value = frame.#variables?.get(name);
      if (value !== undefined) return value;
      frame = frame.parent;
    }
    return this.context.names.lookup(name);
  }

  set(name: string, value: Value): void {
    this.#variables ??= new Map();
    this.#variables.set(name, value);
  }

  /** The outermost level, whose variables blocks and importers see. */
  get root(): Frame {
    let frame: Frame = this;
    while (frame.parent !== undefined) frame = frame.parent;
    return frame;
  }

  /** The variables of this level that importers see. */
  exported(): ReadonlyMap<string, Value> {
    const shown = [...(this.#variables ?? [])].filter(([name]) => !name.startsWith('_'));
    return new Map(shown);
  }
}

/** The names of a scope, then the global functions. */
export function scopeNames(scope: Scope, globals: ReadonlyMap<string, Value>): Names {
  return {
    lookup: (name) => {
      const value = scope.lookup(name);
      return value === undefined ? globals.get(name) : value;
    },
    declares: (name) => scope.declares?.(name) === true,
  };
}
