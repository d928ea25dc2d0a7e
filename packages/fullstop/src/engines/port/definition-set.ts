import type { RunnableDefinition } from './engine.js';

/** The definitions of a worker. Whoever was served last comes last, so that one with many runs keeps none of the others waiting. */
export class DefinitionSet {
  readonly #definitions = new Map<string, RunnableDefinition>();

  constructor(definitions: readonly RunnableDefinition[]) {
    this.add(definitions);
  }

  /** Those that are there stay as they are. */
  add(definitions: readonly RunnableDefinition[]): void {
    for (const each of definitions) {
      const key = keyOf(each);
      if (!this.#definitions.has(key)) this.#definitions.set(key, each);
    }
  }

  get inTurn(): readonly RunnableDefinition[] {
    return [...this.#definitions.values()];
  }

  find(wanted: Pick<RunnableDefinition, 'name' | 'version'>): RunnableDefinition | undefined {
    return this.#definitions.get(keyOf(wanted));
  }

  /** The same, for one that is about to be executed. */
  serve(wanted: Pick<RunnableDefinition, 'name' | 'version'>): RunnableDefinition | undefined {
    const found = this.find(wanted);
    if (found === undefined) return undefined;
    this.#definitions.delete(keyOf(wanted));
    this.#definitions.set(keyOf(wanted), found);
    return found;
  }
}

function keyOf({ name, version }: Pick<RunnableDefinition, 'name' | 'version'>): string {
  return JSON.stringify([name, version]);
}
