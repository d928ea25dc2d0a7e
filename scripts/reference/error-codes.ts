import type { FullstopErrorCode } from 'fullstop';

export interface ErrorCodeRow {
  /** Where it is made, below packages/fullstop/src: the first place to look when this row is in doubt. */
  readonly from: string;
  readonly cause: string;
  readonly fix: string;
}

/** Every code with its causes and what to do; a code without a row does not compile. */
export const errorCodes: Readonly<Record<FullstopErrorCode, ErrorCodeRow>> = {
  ASYNC_SCHEMA: {
    from: 'termination/define-termination.ts',
    cause:
      'The schema of a kind of your own (`defineTermination`) answered with a promise; an ending is written in one go.',
    fix: 'Use a schema without asynchronous checks, and do those before.',
  },
  CONTEXT_INVALID: {
    from: 'agent/options/context-source.ts',
    cause:
      'The context that was given, or that `context` of the definition returned, does not match the `contextSchema` of a tool.',
    fix: 'Supply what the message lists; `details.neededBy` names the tool. The value itself is never shown.',
  },
  CONTEXT_MISSING: {
    from: 'agent/options/context-source.ts',
    cause: 'A tool or hook of the agent needs a context, and the run, resume or worker has none.',
    fix: 'Pass `context` to `run`, or give the definition `context: (run) => …`, which resumes and workers use too.',
  },
  DUPLICATE_KIND: {
    from: 'termination/registry.ts',
    cause: 'Two definitions with the same kind are in one list of `terminations` or in one registry.',
    fix: 'Rename one, or list it once.',
  },
  ENDING_NOT_DECLARED: {
    from: 'run/segment/start.ts',
    cause:
      'A run ended with a kind that its definition rules out: a stop condition returned one that it does not list, or the stored ending belongs to other options or to a kind that this program does not know.',
    fix: 'List the kind in the third argument of `stopCondition`, or its definition in `terminations`.',
  },
  FORK_REFUSED: {
    from: 'run/fork/fork.ts',
    cause: 'The run was not at rest at this entry, the entry does not exist, or the run is a turn of a conversation.',
    fix: 'Fork at one of the nearest entries in `details`; of a conversation, start another branch.',
  },
  INTERNAL_DEFECT: {
    from: 'run/machine/tasks.ts',
    cause:
      'A bug of this library, or of a machine of your own that runs on it. Nothing that a caller does may lead to it.',
    fix: 'Report it with the message and, if there is one, an export of the run.',
  },
  INVALID_ANSWER: {
    from: 'engines/port/check-answer.ts',
    cause:
      'An answer does not fit its request: a decision or option that it does not offer, a value that its schema refuses, a person who may not answer, a request that was answered or has expired.',
    fix: 'Answer within what `engine.openRequests(runId)` lists.',
  },
  INVALID_DISCRIMINANT: {
    from: 'termination/codec/codec.ts',
    cause:
      'The `discriminant` of a codec is the name of a field that some kind has as evidence, so the JSON form could not hold both.',
    fix: 'Choose another one, such as `$kind` or `type`.',
  },
  INVALID_JOURNAL: {
    from: 'run/journal/journal-file.ts',
    cause:
      'Lines of a journal do not belong together, are incomplete or were altered; or a recorded run has no ending, or one that came from outside and cannot be replayed.',
    fix: 'Export the run again after its ending; the message says which line and why. Nothing was imported.',
  },
  INVALID_KIND: {
    from: 'termination/define-termination.ts',
    cause: 'The name of a kind of your own has no namespace, or other characters than lower-case words joined by dots.',
    fix: 'Name it like `billing.reconciled`.',
  },
  INVALID_LIMIT: {
    from: 'run/limits.ts',
    cause:
      'A limit is unknown or not a number above 0; or stages share a limit of steps, which only one stage can have.',
    fix: 'Give a positive number (or, in a file, a duration such as `2m`). For no limit leave it out: 0 does not mean that.',
  },
  INVALID_OPTION: {
    from: 'stop/check-option.ts',
    cause:
      'An option is unknown, misspelt, or has a value that is not allowed; or the code does not fit the run that it is asked to resume (`name`, `version`, a unit that does not exist).',
    fix: 'The message says what was found and what is allowed, with the closest name.',
  },
  INVALID_SCRIPT: {
    from: 'models/scripted/parse-script.ts',
    cause:
      'The script of a scripted model is not one: an unknown key, an answer that is nothing, a file that is not JSON or YAML.',
    fix: 'The message has the place in the script.',
  },
  INVALID_SIGNATURE: {
    from: 'run/notices/notice-signature.ts',
    cause:
      'A notice lacks a `webhook-…` header, was signed with another secret, was altered on its way, or is too old.',
    fix: 'Verify the raw body before anything parses it; compare the secrets of sender and receiver, and the clocks of both machines.',
  },
  INVALID_TERMINATION: {
    from: 'termination/define-termination.ts',
    cause:
      'A termination lacks evidence that its kind has or has evidence of another type, a text to decode is not one, or a stop condition returned something else.',
    fix: 'Make it with `terminations.…` or its definition; `issues` lists what is wrong, and where.',
  },
  INVALID_WORKFLOW: {
    from: 'workflow/load/workflow-invalid.ts',
    cause: 'A workflow file has problems.',
    fix: '`fullstop validate FILE` lists all of them, each with line, column and a hint; `error.problems` has them as data.',
  },
  LIMIT_UNCHANGED: {
    from: 'run/segment/resume.ts',
    cause: 'A run would stop at once if it were resumed: the limit, deadline or cap that ended it is the same.',
    fix: 'Raise the option in `details.option` above `details.used`, or give an agent `guidance` where the message says so.',
  },
  MODEL_KEY_MISSING: {
    from: 'models/providers/provider.ts',
    cause: 'There is no key for the provider of a model.',
    fix: 'Set one of the variables in `details.variables`, or pass `apiKey`.',
  },
  MODEL_PACKAGE_MISSING: {
    from: 'models/providers/provider.ts',
    cause: 'The package of a provider is not installed where the program looks for it.',
    fix: 'Install `details.package`; for the command line, beside it or in your project.',
  },
  NOT_JSON: {
    from: 'run/unit/normalise.ts',
    cause:
      'A value that has to be journalled has no JSON form: a function, a `Map`, an error, a promise that nobody awaited, a cycle, NaN.',
    fix: 'Return plain data from steps, tools and bodies; the message has the path of the value.',
  },
  NO_MATCHING_ARM: {
    from: 'termination/match.ts',
    cause: '`match` or `matchCategory` met a kind or category without an arm, past the compiler.',
    fix: 'Add the arm, or `_` for all others.',
  },
  RESUME_CONFLICT: {
    from: 'run/segment/resume.ts',
    cause: 'Somebody else resumed this run first, or it is still running.',
    fix: 'Read the run again: of competing resumes exactly one wins, and the message names who.',
  },
  RUN_CLOSED: {
    from: 'run/segment/resume.ts',
    cause: 'The ending of the run is final, and nothing can be appended.',
    fix: 'Start a new run, or fork this one.',
  },
  RUN_ID_CONFLICT: {
    from: 'run/segment/start.ts',
    cause: 'There is a run with this id and another input, name or version; or a fork was to get an id that exists.',
    fix: 'Choose another id. With the same input, starting twice is the same run.',
  },
  RUN_NOT_FOUND: {
    from: 'run/segment/resume.ts',
    cause: 'The engine knows no run with this id, or the conversation has no turn yet.',
    fix: 'Compare the id and the store; `fullstop runs` lists what is there. Runs of `memoryEngine()` are gone with their process.',
  },
  SCRIPT_EXHAUSTED: {
    from: 'models/scripted/scripted-model.ts',
    cause:
      'A scripted model was asked once more than its script has answers, or by an agent that the script does not name.',
    fix: "Add an answer, or say `exhausted: 'repeat-last'`.",
  },
  STORE_CLOSED: {
    from: 'engines/store/commits.ts',
    cause: 'The engine was closed while something was still to be written.',
    fix: 'Close it after the last run has ended, or open another one.',
  },
  STORE_CORRUPT: {
    from: 'engines/sqlite/store-error.ts',
    cause:
      'The file is damaged, what is stored of a run contradicts itself, commits were lost with a damaged log, or a journal to import does not match its hashes. A damaged run is set aside; all others continue.',
    fix: '`fullstop verify RUN` or `verify --all` says where; restore it from a backup, or erase it.',
  },
  STORE_DRIVER_MISSING: {
    from: 'engines/sqlite/driver/driver.ts',
    cause: 'The package that speaks to the store is not installed.',
    fix: '`npm install libsql` for SQLite (or Node 22.13 and newer), `npm install pg` for Postgres, `npm install @dbos-inc/dbos-sdk pg` for workers on DBOS.',
  },
  STORE_FAILED: {
    from: 'engines/postgres/migrations/migrate.ts',
    cause:
      'The store refused an operation for a reason that has no code of its own, or the database has another encoding than UTF8.',
    fix: 'Look at `cause`; the run ends with `persisted: false` or is continued by a worker.',
  },
  STORE_FULL: {
    from: 'engines/sqlite/store-error.ts',
    cause: 'The disk of the store, or of the Postgres server, is full.',
    fix: 'Make room; runs continue from their last entry. `fullstop prune` removes runs that ended long ago.',
  },
  STORE_GONE: {
    from: 'engines/sqlite/core/file/file-guard.ts',
    cause: 'The file of the store was deleted, moved or replaced while it was open.',
    fix: 'Stop the processes that use it, put the file back, and start again.',
  },
  STORE_IO: {
    from: 'engines/postgres/connection/store-error.ts',
    cause:
      'The disk or the network failed; or the Postgres server is not reachable, is starting, has no connection left, or refused the role or its password.',
    fix: 'The message says which. Try again after a network failure; otherwise fix the address, the password or the number of connections.',
  },
  STORE_LOCKED: {
    from: 'engines/sqlite/store-error.ts',
    cause:
      'Another process or transaction holds the store for longer than we wait, or a statement took longer than it may.',
    fix: 'End the one that holds it, or raise `busyTimeoutMs` or `statementTimeoutMs`. A file on a network drive is not supported.',
  },
  STORE_MOVED: {
    from: 'engines/store/moving/moved-away.ts',
    cause: 'The runs of this store were moved to another one, and nothing may be added here.',
    fix: 'Use the store that the message names; `fullstop migrate --reopen` opens this one again.',
  },
  STORE_NEWER: {
    from: 'engines/sqlite/migrations/migrate.ts',
    cause: 'The store was written by a newer release. It was not touched.',
    fix: 'Update this one, or name another store.',
  },
  STORE_NOT_A_DATABASE: {
    from: 'engines/sqlite/migrations/migrate.ts',
    cause:
      'The file is a folder, no SQLite database, or that of another program; on Postgres, the database does not exist, or the schema has tables of another program.',
    fix: 'Name a file or schema of its own, or create the database. Nothing was touched.',
  },
  STORE_READ_ONLY: {
    from: 'engines/sqlite/store-error.ts',
    cause:
      'The store cannot be written, made, or read without writing: its folder is missing or read-only, the file was written by an older release, the Postgres server is a standby, or the role lacks a right.',
    fix: 'The message says which: make the folder, change its permissions, open the store once where it may be written, or [grant the role](../scaling.md) what it needs.',
  },
  TURN_REFUSED: {
    from: 'engines/rules/turns.ts',
    cause: 'A conversation has a turn under way, one that waits for answers, or a later one.',
    fix: "`details.reason` says which, and `details.runId` is the run in the way. Wait for it, answer it or stop it; `whenBusy: 'wait'` waits for you.",
  },
  UNKNOWN_PRICE: {
    from: 'run/accounts/prices.ts',
    cause: 'There is a cost budget, and no price for a model: the budget could never be reached.',
    fix: 'Give one in `prices` (in a file: `cost.pricing`), or set `allowUnknownPrices`.',
  },
  UNKNOWN_WORD: {
    from: 'dialects/dialect.ts',
    cause: 'A dialect was given a word that its library does not have.',
    fix: 'Compare the version of that library with the one in the table of [dialects](../dialects.md).',
  },
  UNREGISTERED_TERMINATION: {
    from: 'termination/registry.ts',
    cause: 'A kind of your own is encoded, decoded, or returned by a run or stage without its definition.',
    fix: "Pass the definition on: `terminations: [definition]` on a run or pipeline, `createRegistry([definition])` for a codec; `unknownKinds: 'keep'` lets a codec pass it through.",
  },
  UNSUPPORTED_MODEL: {
    from: 'models/language-model.ts',
    cause:
      'The model is no language model of specification v2, v3 or v4, is a name where an object is needed, or the installed package of its provider is for another AI SDK.',
    fix: 'Pass an object of a provider of the AI SDK, or `await loadModel(name)`; the packages of AI SDK 5, 6 and 7 fit.',
  },
};
