/** One side of a wall: a folder, what it is for, and what it may import. Everything else is an error of the linter. */
export interface Room {
  /** Below `packages/fullstop/src`. */
  readonly folder: string;
  /** One sentence for ARCHITECTURE.md. */
  readonly purpose: string;
  /** Other rooms, inner folders of them, or single files. The room itself is always allowed. */
  readonly imports: readonly string[] | 'every room';
  /** Packages beyond its own files; `node:` means the modules of Node. */
  readonly packages?: readonly string[];
  readonly inner?: readonly InnerFolder[];
}

/** A folder inside a room that may import less than the room as a whole, or another package. */
export interface InnerFolder {
  readonly name: string;
  readonly purpose: string;
  /** The inner folders, of this room or of others, that it may not import. */
  readonly never: readonly string[];
  /** Instead of those of the room. */
  readonly packages?: readonly string[];
}

/** Inner folders that reach the outside world: models, tools, clocks, files, streams. What is pure imports none of them. */
const impure = ['perform', 'stream', 'segment', 'unit', 'process', 'notices', 'store', 'sqlite', 'postgres', 'dbos'];

/** The inner folders of engines that keep runs. */
const stores = ['memory', 'store', 'sqlite', 'postgres', 'dbos', 'environment'];

/** How the keys of operations are made and read, which readers of journals need. */
const keyGrammars = [
  ...['agent', 'convergence', 'pipeline'].map((room) => `${room}/machine/${room}-key.js`),
  'workflow/graph/workflow-key.js',
];

export const rooms: readonly Room[] = [
  {
    folder: 'termination',
    purpose: 'The kinds of endings, their words, and their wire form.',
    imports: [],
  },
  {
    folder: 'stop',
    purpose: 'Conditions that end a loop, as folds over what it observed.',
    imports: ['termination'],
  },
  {
    folder: 'template',
    purpose: 'The language of templates: parse, check, evaluate.',
    imports: ['termination'],
  },
  {
    folder: 'dialects',
    purpose: 'Terminations in the words of other libraries, and back.',
    imports: ['termination'],
  },
  {
    folder: 'engines',
    purpose: 'Where journals are kept and runs are claimed.',
    imports: ['termination'],
    inner: [
      { name: 'port', purpose: 'What every engine promises.', never: ['door', 'rules', ...stores] },
      {
        name: 'door',
        purpose: 'What may come in: every argument, imported entry and stored row, read once.',
        never: ['rules', ...stores],
      },
      { name: 'rules', purpose: 'Decisions that all engines share, as pure functions.', never: ['sharing', ...stores] },
      { name: 'sharing', purpose: 'What runs keep together: the limits of providers, and budgets.', never: stores },
      {
        name: 'memory',
        purpose: 'The engine of one process.',
        never: ['store', 'sqlite', 'postgres', 'dbos', 'environment'],
      },
      {
        name: 'store',
        purpose: 'What engines on a store share: sessions, commits, leases, workers. A store carries out operations.',
        never: ['memory', 'sqlite', 'postgres', 'dbos', 'environment'],
        packages: ['node:'],
      },
      {
        name: 'sqlite',
        purpose: 'The engine on a file.',
        never: ['memory', 'postgres', 'dbos', 'environment'],
        packages: ['node:', 'libsql'],
      },
      {
        name: 'postgres',
        purpose: 'The engine on Postgres, for many machines.',
        never: ['memory', 'sqlite', 'dbos', 'environment'],
        packages: ['node:', 'pg'],
      },
      {
        name: 'dbos',
        purpose: 'The engine on Postgres whose segments DBOS schedules.',
        never: ['memory', 'sqlite', 'environment'],
        packages: ['node:', '@dbos-inc/dbos-sdk'],
      },
      {
        name: 'environment',
        purpose: 'The engine on whichever store FULLSTOP_STORE names.',
        never: ['memory', 'dbos'],
        packages: ['node:'],
      },
    ],
  },
  {
    folder: 'models',
    purpose: 'One shape for language models: messages, calls, errors, providers.',
    imports: ['termination', 'engines/port'],
  },
  {
    folder: 'run',
    purpose: 'The life of a run: steps, waits, replay, budgets, its one ending.',
    imports: ['termination', 'stop', 'models/errors', 'engines/port', 'engines/door', 'engines/memory'],
  },
  {
    folder: 'agent',
    purpose: 'A loop of model calls and tools as a run.',
    imports: ['termination', 'stop', 'models', 'run', 'engines/port'],
    inner: [{ name: 'machine', purpose: 'What the loop does next, as a pure fold.', never: impure }],
  },
  {
    folder: 'conversation',
    purpose: 'Turns over one history, each a run of an agent.',
    imports: ['termination', 'stop', 'models', 'run', 'agent', 'engines/port'],
  },
  {
    folder: 'pipeline',
    purpose: 'Stages in order and at the same time, as a run.',
    imports: ['termination', 'stop', 'models', 'run', 'engines/port'],
    inner: [{ name: 'machine', purpose: 'Which stage comes next, as a pure fold.', never: impure }],
  },
  {
    folder: 'convergence',
    purpose: 'Facts and suggestors until nothing new is found, as a run.',
    imports: ['termination', 'stop', 'models', 'run', 'engines/port'],
    inner: [
      { name: 'facts', purpose: 'Facts, views and proofs.', never: ['machine', ...impure] },
      { name: 'machine', purpose: 'Which suggestors wake next, as a pure fold.', never: impure },
    ],
  },
  {
    folder: 'workflow',
    purpose: 'Documents that describe runs: load, check, analyse, perform.',
    imports: [
      ...['termination', 'stop', 'template', 'models', 'run', 'agent', 'pipeline', 'convergence', 'engines/port'],
      // Which process is which, for programs as for owners of runs.
      'engines/sqlite/liveness.js',
    ],
    packages: ['node:', 'yaml'],
    inner: [
      {
        name: 'source',
        purpose: 'Text, and where in it something is.',
        never: ['schema', 'steps', 'analyze', 'load', 'machine', 'events', ...impure],
      },
      {
        name: 'schema',
        purpose: 'Which keys a document may have.',
        never: ['analyze', 'load', 'machine', 'events', ...impure],
      },
      {
        name: 'steps',
        purpose: 'Everything about a step type in one file each.',
        never: ['load'],
      },
      {
        name: 'graph',
        purpose: 'Which step leads to which, for the machine and the analysis.',
        never: ['analyze', 'load', 'machine', 'events', ...impure],
      },
      {
        name: 'analyze',
        purpose: 'What can be said about a document before it runs.',
        never: ['load', 'machine', 'events', ...impure],
      },
      { name: 'load', purpose: 'From files to a checked document.', never: ['machine', 'events', ...impure] },
      { name: 'machine', purpose: 'Which step comes next, as a pure fold.', never: ['load', 'events', ...impure] },
    ],
  },
  {
    folder: 'adapters',
    purpose: 'Runs of other frameworks with one ending of ours.',
    imports: ['termination', 'stop', 'models', 'run', 'engines/port'],
    inner: [
      {
        name: 'core',
        purpose: 'A foreign run as a journalled run, whatever the framework.',
        never: ['ai-sdk', 'openai-agents', 'langgraph', 'mastra', 'claude-agent-sdk'],
      },
    ],
  },
  {
    folder: 'telemetry',
    purpose: 'Spans and metrics, from what is durable.',
    imports: ['termination', 'dialects', 'run', 'engines/port', ...keyGrammars],
    packages: ['@opentelemetry/api'],
  },
  {
    folder: 'testing',
    purpose: 'Scripted models, matchers, every ending, recorded runs, faulty engines, conformance of engines.',
    imports: 'every room',
  },
];

/** Code that uses the library as users do, and so imports what users import. */
export const outside: readonly { readonly includes: readonly string[]; readonly message: string }[] = [
  {
    includes: ['examples/**', 'bench/**', 'tests/packaging/consumer/**'],
    message: 'Import the published entry points.',
  },
  { includes: ['packages/cli/src/**'], message: 'The CLI imports the published entries of fullstop.' },
];

/** The pages of the dashboard run in a browser: of the command and the library they have words, schemas and types, and nothing that reads or acts. */
export const pages = {
  folder: 'packages/web/src',
  imports: [
    // Which requests there are, as schemas of zod alone.
    'cli/src/dashboard/api/**',
    // The same page of a journal for the server and for a report.
    'cli/src/dashboard/reads/journal-page.js',
    // The data of each tab, as types and what unpacks it.
    ...[
      ...['banner', 'budget-lines', 'conversation', 'facts', 'message-parts', 'packed-transitions', 'repeated-calls'],
      ...['run-graph', 'run-view', 'timeline', 'transitions', 'unit-view', 'what-if-view'],
    ].map((name) => `cli/src/dashboard/view/${name}.js`),
    'cli/src/report/report-data.js',
    'cli/src/why/explanation.js',
    // Words and numbers as the terminal has them.
    'cli/src/journal/number-text.js',
    'cli/src/journal/value-text.js',
    'cli/src/terminal/shell-word.js',
    'cli/src/what-if/totals-text.js',
    'cli/src/what-if/try-limits.js',
    'fullstop/src/convergence/facts/snapshot.js',
    'fullstop/src/termination/json.js',
  ],
} as const;
