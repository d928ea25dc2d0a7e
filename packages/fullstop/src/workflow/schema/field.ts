import type { JsonText } from '../source/json-text.js';

interface Described {
  readonly description?: string;
  /** The key must be there and not null. */
  readonly required?: true;
  /** The value of an absent key; an empty object means an empty map or a record of defaults. */
  readonly default?: unknown;
  /** Null takes the default away. */
  readonly or_null?: true;
  /** Where the key is required: what the message asks for, `'key'` unless given. */
  readonly requirement?: string;
  /** The key may be there, empty, in a step that has no use for it. */
  readonly harmless_when_empty?: true;
  /** The hint for a step that has the key but does not take it. */
  readonly elsewhere?: string;
  /** The texts under the key see everything, whatever the context mode. */
  readonly sees_everything?: true;
}

export interface TextField extends Described {
  readonly type: 'string' | 'template' | 'condition';
  readonly not_blank?: true;
}

export interface NumberField extends Described {
  readonly type: 'integer' | 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  /** The smallest value that is not allowed. */
  readonly above?: number;
}

export interface ChoiceField extends Described {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Text with template marks is accepted too and checked when it is rendered. */
  readonly or_template?: true;
}

export interface ListField extends Described {
  readonly type: 'list';
  readonly of: Field;
  readonly at_least?: number;
  /** One value without a list means a list of that value. */
  readonly or_single?: true;
}

export interface MapField extends Described {
  readonly type: 'map';
  readonly of: Field;
}

export interface RecordField extends Described {
  readonly type: 'record';
  readonly of: RecordName;
  /** A text is short for a record that has it under this key. */
  readonly text_as?: string;
}

export interface PlainField extends Described {
  readonly type: 'boolean' | 'duration' | 'json' | 'scalar' | 'step';
}

/** The values that one key of the file may have; data, so that types, validation and JSON Schema come from the same words. */
export type Field = TextField | NumberField | ChoiceField | ListField | MapField | RecordField | PlainField;

export type Fields = Readonly<Record<string, Field>>;

/** The records that a table describes; a step is read by its type instead. */
export type RecordName =
  | 'Azure'
  | 'Checkpoint'
  | 'Context'
  | 'Cost'
  | 'Dialog'
  | 'ErrorRoute'
  | 'ForEachGroup'
  | 'GateOption'
  | 'Hooks'
  | 'InputDefinition'
  | 'Limits'
  | 'McpServer'
  | 'OutputField'
  | 'ParallelGroup'
  | 'Plugin'
  | 'PluginSource'
  | 'Pricing'
  | 'ProviderSettings'
  | 'Question'
  | 'Reasoning'
  | 'Retry'
  | 'Route'
  | 'Runtime'
  | 'Sandbox'
  | 'SkillDiscovery'
  | 'SkillInjection'
  | 'ToolOutput'
  | 'Validator'
  | 'WorkflowSettings';

/** The type of a field's value in a loaded document; `R` says what the names of records mean. */
export type ValueOf<F, R> = F extends { readonly type: 'string' | 'template' | 'condition' }
  ? string
  : F extends { readonly type: 'integer' | 'number' }
    ? number
    : F extends { readonly type: 'boolean' }
      ? boolean
      : F extends { readonly type: 'duration' }
        ? string | number
        : F extends { readonly type: 'scalar' }
          ? string | number | boolean
          : F extends { readonly type: 'json' }
            ? JsonText
            : ValueOfComposite<F, R>;

type ValueOfComposite<F, R> = F extends { readonly type: 'choice'; readonly choices: readonly (infer C)[] }
  ? F extends { readonly or_template: true }
    ? string
    : C
  : F extends { readonly type: 'list'; readonly of: infer E }
    ? readonly ValueOf<E, R>[]
    : F extends { readonly type: 'map'; readonly of: infer E }
      ? ReadonlyMap<string, ValueOf<E, R>>
      : F extends { readonly type: 'record'; readonly of: infer N extends keyof R }
        ? R[N]
        : F extends { readonly type: 'step' }
          ? R['Step' & keyof R]
          : never;

type PresentKey<T> = {
  [K in keyof T]: T[K] extends { readonly or_null: true }
    ? never
    : T[K] extends { readonly required: true } | { readonly default: unknown }
      ? K
      : never;
}[keyof T];

/** The object that a table of fields describes. */
export type RecordOf<T, R, Required extends keyof T = never> = {
  readonly [K in PresentKey<T> | Required]: ValueOf<T[K], R>;
} & {
  readonly [K in Exclude<keyof T, PresentKey<T> | Required>]?: ValueOf<T[K], R>;
};
