import type { AnyAgentOptions } from './agent-options.js';

/** A registered symbol, because the entry for tests has its own copy of this file. */
const mark: unique symbol = Symbol.for('fullstop.agent-options') as never;

/** Remembers the options of an agent, for tests that drive it with another model. */
export function rememberOptions(agent: object, options: AnyAgentOptions): void {
  Object.defineProperty(agent, mark, { value: options });
}

/** The options that an agent was defined with; undefined for anything else. */
export function definedOptions(agent: { readonly [mark]?: AnyAgentOptions }): AnyAgentOptions | undefined {
  return agent[mark];
}
