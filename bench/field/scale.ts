/** How much is measured: a look at a busy machine, what fits into some minutes of a quiet one, or everything. */
export interface Scale {
  readonly flag: '' | ' --quick' | ' --long';
  /** Processes per cell; those that take long have one. */
  readonly rounds: number;
  readonly warmUps: readonly number[];
  /** Steps before those that are timed, where the length of the run is looked at. */
  readonly lukewarm: number;
  readonly sizes: readonly number[];
  /** Longer runs for the rows that do not grow. */
  readonly longSizes: readonly number[];
  readonly stepSizes: readonly number[];
  /** A cell that would take longer by what is known of its contender is left out. */
  readonly longestCellMs: number;
  readonly crowd: {
    readonly crowd: number;
    readonly calls: number;
    readonly shortRuns: number;
    readonly shortMs: number;
  };
}

const usual: Scale = {
  flag: '',
  rounds: 2,
  warmUps: [0, 10, 1_000, 40_000],
  lukewarm: 1_600,
  sizes: [50, 200, 800, 3_200],
  longSizes: [12_800],
  stepSizes: [1_000, 10_000],
  longestCellMs: 20_000,
  crowd: { crowd: 1_000, calls: 10, shortRuns: 100_000, shortMs: 6_000 },
};

const quick: Scale = {
  ...usual,
  flag: ' --quick',
  rounds: 1,
  warmUps: [0, 10],
  lukewarm: 200,
  sizes: [50, 200],
  longSizes: [],
  stepSizes: [100],
  crowd: { crowd: 100, calls: 5, shortRuns: 1_000, shortMs: 5_000 },
};

const long: Scale = {
  ...usual,
  flag: ' --long',
  rounds: 3,
  longestCellMs: 600_000,
  crowd: { ...usual.crowd, shortMs: 600_000 },
};

/** The scale that the command line asks for. */
export const scale: Scale = [quick, long].find(({ flag }) => process.argv.includes(flag.trim())) ?? usual;
