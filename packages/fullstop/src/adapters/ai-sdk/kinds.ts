import type { EndingOfKind } from '../../stop/condition.js';
import type { UsualForeignKind } from '../core/foreign-kinds.js';

/** The kinds that no call of the AI SDK can rule out. */
export type AiSdkBaseKind = UsualForeignKind | 'indeterminate';

type Has<TOptions, TName extends string, TKind extends string> = TOptions extends {
  readonly [K in TName]: infer TValue;
}
  ? [TValue] extends [undefined]
    ? never
    : TKind
  : never;

/** The kinds that the options of a call add: tools may need people and steps, predicates and timeouts may fire, outputs may not fit. */
export type AiSdkOptionKind<TOptions> =
  | Has<TOptions, 'tools', 'interaction_pending' | 'max_iterations'>
  | Has<TOptions, 'stopWhen', 'custom' | 'tool_called'>
  | Has<TOptions, 'timeout', 'time_budget'>
  | Has<TOptions, 'output' | 'experimental_output', 'schema_validation'>;

/** Everything that a function of the AI SDK can end with, called with these options and conditions. */
export type AiSdkEnding<TOptions, TKind extends string> = EndingOfKind<
  AiSdkBaseKind | AiSdkOptionKind<TOptions> | TKind
>;

/** Everything that an agent of the AI SDK can end with: its settings are its own. */
export type AiSdkAgentEnding<TKind extends string> = EndingOfKind<
  | AiSdkBaseKind
  | 'custom'
  | 'interaction_pending'
  | 'max_iterations'
  | 'schema_validation'
  | 'time_budget'
  | 'tool_called'
  | TKind
>;
