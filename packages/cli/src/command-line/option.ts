/** One option of a command, as data: parsing, help and shell completion are made from it. */
export type OptionSpec = FlagSpec | ValueSpec<'text'> | ValueSpec<'number'> | ValueSpec<'list'>;

interface SpecBase {
  /** One line of help. */
  readonly about: string;
  readonly short?: string;
}

export interface FlagSpec extends SpecBase {
  readonly type: 'flag';
}

export interface ValueSpec<TType extends 'text' | 'number' | 'list'> extends SpecBase {
  readonly type: TType;
  /** The placeholder of the value in the help, such as `FILE`. */
  readonly value: string;
  /** The values that are allowed, where there are only a few. */
  readonly choices?: readonly string[];
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** The values of the options of a table. A list is empty when the option is not given. */
export type OptionValues<TTable extends OptionTable> = {
  readonly [TName in keyof TTable]: ValueOf<TTable[TName]>;
};

type ValueOf<TSpec extends OptionSpec> = TSpec extends { readonly type: 'flag' }
  ? boolean
  : TSpec extends { readonly type: 'number' }
    ? number | undefined
    : TSpec extends { readonly type: 'list' }
      ? readonly string[]
      : string | undefined;

/** The options that every command accepts. */
export const globalOptions = {
  store: {
    type: 'text',
    value: 'STORE',
    about: 'Where runs are kept: a file, or postgres://… (FULLSTOP_STORE, else .fullstop/runs.db)',
  },
  config: { type: 'text', value: 'FILE', about: 'The configuration to use instead of the nearest fullstop.config.*' },
  color: { type: 'text', value: 'WHEN', choices: ['auto', 'always', 'never'], about: 'Colours: auto, always or never' },
  'no-color': { type: 'flag', about: 'No colours, like --color never and NO_COLOR' },
  help: { type: 'flag', short: 'h', about: 'Shows this help' },
} as const satisfies OptionTable;

export type GlobalValues = OptionValues<typeof globalOptions>;
