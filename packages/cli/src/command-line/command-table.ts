import type { Command } from './command.js';

export interface CommandEntry {
  readonly summary: string;
  readonly group: 'Run' | 'Understand' | 'Act' | 'Keep' | 'Set up';
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** Every command; its code is loaded only when it is used. */
export const commandTable: Readonly<Record<string, CommandEntry>> = {
  run: { group: 'Run', summary: 'Runs a workflow file', load: () => import('../commands/run/run.js') },
  validate: {
    group: 'Run',
    summary: 'Checks workflow files without running them',
    load: () => import('../commands/run/validate.js'),
  },
  graph: {
    group: 'Run',
    summary: 'Draws a workflow and every way it can end',
    load: () => import('../commands/run/graph.js'),
  },
  schema: {
    group: 'Run',
    summary: 'Prints the JSON Schema of workflow files',
    load: () => import('../commands/run/schema.js'),
  },
  worker: {
    group: 'Run',
    summary: 'Continues runs that are ready, due or orphaned',
    load: () => import('../commands/run/worker.js'),
  },
  schedule: {
    group: 'Run',
    summary: 'Starts runs of a workflow file at set times',
    load: () => import('../commands/run/schedule.js'),
  },
  why: {
    group: 'Understand',
    summary: 'Says why a run ended and what to do next',
    load: () => import('../commands/understand/why.js'),
  },
  runs: { group: 'Understand', summary: 'Lists runs', load: () => import('../commands/understand/runs.js') },
  show: {
    group: 'Understand',
    summary: 'Shows what a run did, step by step',
    load: () => import('../commands/understand/show.js'),
  },
  events: {
    group: 'Understand',
    summary: 'Prints the journal of a run, one entry a line',
    load: () => import('../commands/understand/events.js'),
  },
  stats: {
    group: 'Understand',
    summary: 'Shows where runs stop and what each ending costs',
    load: () => import('../commands/understand/stats.js'),
  },
  'what-if': {
    group: 'Understand',
    summary: 'Says where other limits would have ended runs',
    load: () => import('../commands/understand/what-if.js'),
  },
  report: {
    group: 'Understand',
    summary: 'Writes the page of a run as one file',
    load: () => import('../commands/understand/report.js'),
  },
  dashboard: {
    group: 'Understand',
    summary: 'Shows runs in the browser',
    load: () => import('../commands/understand/dashboard.js'),
  },
  resume: {
    group: 'Act',
    summary: 'Resumes a run where it stopped',
    load: () => import('../commands/act/resume.js'),
  },
  retry: {
    group: 'Act',
    summary: 'Starts a new run with the same inputs',
    load: () => import('../commands/act/retry.js'),
  },
  fork: {
    group: 'Act',
    summary: 'Starts a new run from the middle of another',
    load: () => import('../commands/act/fork.js'),
  },
  answer: { group: 'Act', summary: 'Answers what a run asks', load: () => import('../commands/act/answer.js') },
  cancel: { group: 'Act', summary: 'Stops a run', load: () => import('../commands/act/cancel.js') },
  verify: {
    group: 'Keep',
    summary: 'Checks that journals are whole and unchanged',
    load: () => import('../commands/keep/verify.js'),
  },
  export: { group: 'Keep', summary: 'Writes whole runs to one file', load: () => import('../commands/keep/export.js') },
  import: {
    group: 'Keep',
    summary: 'Imports runs from such a file',
    load: () => import('../commands/keep/import.js'),
  },
  backup: {
    group: 'Keep',
    summary: 'Copies the store while runs continue',
    load: () => import('../commands/keep/backup.js'),
  },
  migrate: {
    group: 'Keep',
    summary: 'Moves all runs to another store',
    load: () => import('../commands/keep/migrate.js'),
  },
  prune: {
    group: 'Keep',
    summary: 'Removes runs that ended long ago',
    load: () => import('../commands/keep/prune.js'),
  },
  erase: { group: 'Keep', summary: 'Removes one run for good', load: () => import('../commands/keep/erase.js') },
  init: {
    group: 'Set up',
    summary: 'Writes a workflow or a project that runs at once',
    load: () => import('../commands/set-up/init.js'),
  },
  doctor: {
    group: 'Set up',
    summary: 'Checks this machine and says what to do',
    load: () => import('../commands/set-up/doctor.js'),
  },
  completion: {
    group: 'Set up',
    summary: 'Prints completions for bash, zsh or fish',
    load: () => import('../commands/set-up/completion.js'),
  },
};
