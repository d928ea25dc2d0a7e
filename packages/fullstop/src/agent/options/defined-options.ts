import type { AnyAgentOptions } from './agent-options.js';

const defined = new WeakMap<object, AnyAgentOptions>();

/** Remembers the options of an agent, for tests that drive it with another model. */
export function rememberOptions(agent: object, options: AnyAgentOptions): void {
  defined.set(agent, options);
}

/** The options that an agent was defined with; undefined for anything else. */
export function definedOptions(agent: object): AnyAgentOptions | undefined {
  return defined.get(agent);
}
