import type { FullstopErrorCode } from 'fullstop';

export interface ErrorCodeRow {
  readonly cause: string;
  readonly fix: string;
}

/** Every code with its usual cause and what to do; a code without a row does not compile. */
export const errorCodes: Readonly<Record<FullstopErrorCode, ErrorCodeRow>> = {
  ASYNC_SCHEMA: {
    cause: 'A schema answered with a promise where a value is needed at once, such as for the evidence of an ending.',
    fix: 'Use a schema without asynchronous checks; do those before.',
  },
  CONTEXT_INVALID: {
    cause:
      'The context that was given, or that `context` of the definition returned, does not fit what the tools ask for.',
    fix: 'Return what the message lists as missing.',
  },
  CONTEXT_MISSING: {
    cause: 'Tools or hooks of the agent need a context, and the run, resume or worker has none.',
    fix: 'Pass `context` to `run`, or give the definition `context: (run) => …`, which resumes and workers use too.',
  },
  DUPLICATE_KIND: {
    cause: 'Two definitions of endings have the same kind.',
    fix: 'Rename one, or register only one copy of the library that defines it.',
  },
  ENDING_NOT_DECLARED: {
    cause: 'A body returned an ending of its own that its definition does not list.',
    fix: 'Add the definition to `terminations`.',
  },
  FORK_REFUSED: {
    cause: 'A fork at this entry would repeat or tear apart something, such as a call whose outcome is not known.',
    fix: 'Fork at one of the nearest entries in `details`.',
  },
  INTERNAL_DEFECT: {
    cause: 'A bug of this library, or of a machine that runs on it. Nothing that a caller does may lead to it.',
    fix: 'Report it with the message and, if there is one, an export of the run.',
  },
  INVALID_ANSWER: {
    cause:
      'An answer does not fit its request: an unknown option, a value that its schema refuses, a person who may not answer.',
    fix: 'Answer within what the request allows; `openRequests` lists it.',
  },
  INVALID_DISCRIMINANT: {
    cause: 'A value has no `kind`, or one that is not a text.',
    fix: 'Pass a termination, not its envelope or its JSON text.',
  },
  INVALID_JOURNAL: {
    cause: 'Lines of a journal do not belong together, are incomplete, or were altered.',
    fix: 'Export the run again; the message has the number of the line. Nothing was imported.',
  },
  INVALID_KIND: {
    cause: 'The name of a kind of your own has no namespace, or characters that tags cannot have.',
    fix: 'Name it like `billing.reconciled`.',
  },
  INVALID_LIMIT: {
    cause: 'A limit is not a number that makes sense, such as 0, NaN or a negative duration.',
    fix: 'Give a positive number, or a duration such as `2m`.',
  },
  INVALID_OPTION: {
    cause: 'An option is unknown, misspelt, or has a value that is not allowed.',
    fix: 'The message says what was found and what is allowed.',
  },
  INVALID_SCRIPT: {
    cause: 'The script of a scripted model is not one: an unknown key, or an answer that is nothing.',
    fix: 'The message has the place in the script.',
  },
  INVALID_SIGNATURE: {
    cause: 'A notice was not signed with this secret, was altered on its way, or is too old.',
    fix: 'Compare the secrets of sender and receiver, and the clocks of both machines.',
  },
  INVALID_TERMINATION: {
    cause: 'A termination lacks evidence that its kind has, or has evidence of another type.',
    fix: 'Make it with `terminations.…` or its definition; `issues` lists what is wrong, and where.',
  },
  INVALID_WORKFLOW: {
    cause: 'A workflow file has problems.',
    fix: '`fullstop validate FILE` lists all of them with line and column.',
  },
  LIMIT_UNCHANGED: {
    cause: 'A run that reached a limit was resumed without a larger one, so it would end at once.',
    fix: 'Raise the option in `details.option` above `details.used`.',
  },
  MODEL_KEY_MISSING: {
    cause: 'There is no key for the provider of a model.',
    fix: 'Set one of the variables in `details.variables`, or pass `apiKey`.',
  },
  MODEL_PACKAGE_MISSING: {
    cause: 'The package of a provider is not installed.',
    fix: 'Install `details.package`.',
  },
  NOT_JSON: {
    cause: 'A value that has to be journalled has no JSON form: a function, a cycle, NaN.',
    fix: 'Return plain data from steps and tools; the message has the path of the value.',
  },
  NO_MATCHING_ARM: {
    cause: '`match` or `matchCategory` met a kind or category without an arm, past the compiler.',
    fix: 'Add the arm, or `_` for all others.',
  },
  RESUME_CONFLICT: {
    cause: 'Somebody else has resumed or holds this run.',
    fix: 'Read the run again: of competing resumes exactly one wins.',
  },
  RUN_CLOSED: {
    cause: 'The ending of the run is final, and nothing can be appended.',
    fix: 'Start a new run, or fork this one.',
  },
  RUN_ID_CONFLICT: {
    cause: 'There is a run with this id and another input or name.',
    fix: 'Choose another id. With the same input, starting twice is the same run.',
  },
  RUN_NOT_FOUND: {
    cause: 'The engine knows no run with this id.',
    fix: 'Compare the id and the store; `fullstop runs` lists what is there.',
  },
  SCRIPT_EXHAUSTED: {
    cause: 'A scripted model was asked once more than its script has answers.',
    fix: "Add an answer, or say `exhausted: 'repeat-last'`.",
  },
  STORE_CLOSED: {
    cause: 'The engine was closed.',
    fix: 'Close it after the last run has ended, or open another one.',
  },
  STORE_CORRUPT: {
    cause: 'What is stored of a run contradicts itself. The run is set aside; all others continue.',
    fix: '`fullstop verify` says where; restore it from a backup, or erase it.',
  },
  STORE_DRIVER_MISSING: {
    cause: 'The package that speaks to the store is not installed.',
    fix: '`npm install libsql` for SQLite (or Node 22.13 and newer), `npm install pg` for Postgres.',
  },
  STORE_FAILED: {
    cause: 'The store refused an operation for a reason that has no code of its own; `cause` has it.',
    fix: 'Look at `cause`; the run ends with `persisted: false` or is continued by a worker.',
  },
  STORE_FULL: {
    cause: 'The disk is full.',
    fix: 'Make room; `fullstop prune` removes runs that ended long ago.',
  },
  STORE_GONE: {
    cause: 'The file of the store was deleted, moved or replaced while it was open.',
    fix: 'Stop the processes that use it, put the file back, and start again.',
  },
  STORE_IO: {
    cause: 'The disk or the network failed.',
    fix: 'Try again; if it stays, check the machine.',
  },
  STORE_LOCKED: {
    cause: 'Another process holds the file for longer than we wait.',
    fix: 'End the one that holds it; a store on a network drive is not supported.',
  },
  STORE_MOVED: {
    cause: 'The runs of this store were moved to another one, and nothing may be added here.',
    fix: 'Use the store that the message names; `fullstop migrate --reopen` opens this one again.',
  },
  STORE_NEWER: {
    cause: 'The store was written by a newer release.',
    fix: 'Update this one.',
  },
  STORE_NOT_A_DATABASE: {
    cause: 'The file is not a store of ours.',
    fix: 'Name another file. Nothing was written to it.',
  },
  STORE_READ_ONLY: {
    cause: 'The store cannot be written or made: its folder is missing, or this user may not write there.',
    fix: 'Make the folder, or change its permissions.',
  },
  TURN_REFUSED: {
    cause: 'A conversation has a turn under way, one that waits, or a later one.',
    fix: '`details.reason` says which, and `details.runId` is the run in the way.',
  },
  UNKNOWN_PRICE: {
    cause: 'There is a cost budget, and no price for a model.',
    fix: 'Give one in `prices`, or set `allowUnknownPrices`.',
  },
  UNKNOWN_WORD: {
    cause: 'A dialect was given a word that its library does not have.',
    fix: 'Compare the version of that library with the one in the table of [dialects](../dialects.md).',
  },
  UNREGISTERED_TERMINATION: {
    cause: 'A kind of your own is encoded, decoded or described without its definition.',
    fix: 'Pass a registry or codec that was made with it.',
  },
  UNSUPPORTED_MODEL: {
    cause: 'The model is not one of specification v2, v3 or v4, or is a name where an object is needed.',
    fix: 'Pass an object of a provider of the AI SDK, or `await loadModel(name)`.',
  },
};
