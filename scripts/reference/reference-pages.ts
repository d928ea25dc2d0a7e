/** The pages of docs/reference, each made from the table in the code that it describes. */
import { commandTable } from '../../packages/cli/src/command-line/command-table.js';
import { globalOptions, type OptionTable } from '../../packages/cli/src/command-line/option.js';
import { allRoutes } from '../../packages/cli/src/dashboard/routes/all-routes.js';
import type { DashboardSurroundings } from '../../packages/cli/src/dashboard/surroundings.js';
import { endingCodes } from './ending-codes.js';
import { errorCodes } from './error-codes.js';
import { journalEntries } from './journal-entries.js';
import type { PublicEntry } from './read-names.js';

export interface ReferencePage {
  /** Below docs/reference. */
  readonly file: string;
  readonly text: string;
}

/** All pages. */
export async function referencePages(entries: readonly PublicEntry[]): Promise<readonly ReferencePage[]> {
  return [
    { file: 'agent-options.md', text: optionsPage(entries) },
    { file: 'commands.md', text: await commandsPage() },
    { file: 'engine.md', text: enginePage(entries) },
    { file: 'errors.md', text: errorsPage() },
    { file: 'http-api.md', text: httpPage() },
    { file: 'journal.md', text: journalPage(entries) },
  ];
}

const generated = 'Written by `npm run api` from the code; a test fails where the two differ.';

function page(title: string, ...lines: readonly string[]): string {
  return `${[`# ${title}`, '', ...lines].join('\n').trimEnd()}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row), ''];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** A section for each of these interfaces, with a row for each member. */
function memberSections(names: PublicEntry['names'], wanted: readonly string[]): readonly string[] {
  return wanted.flatMap((name) => {
    const found = names.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no public name ${name}.`);
    const rows = found.members().map(({ name: member, type, sentence }) => {
      if (sentence === '') throw new Error(`${name}.${member} needs a sentence of TSDoc.`);
      return [`\`${member}\``, `\`${type}\``, sentence];
    });
    return [`## \`${name}\``, '', found.sentence, '', ...table(['name', 'type', ''], rows)];
  });
}

function namesOf(entries: readonly PublicEntry[], specifier: string): PublicEntry['names'] {
  return entries.find((entry) => entry.specifier === specifier)?.names ?? [];
}

function optionsPage(entries: readonly PublicEntry[]): string {
  const wanted = ['AgentOptions', 'AgentRunOptions', 'AgentResumeOptions', 'AgentResult', 'AgentHooks'];
  return page(
    'Agent options',
    `Everything that \`defineAgent\` and \`runAgent\` accept, and what a run returns. ${generated} [Agents](../agents.md) explains them by what they are for.`,
    '',
    ...memberSections(namesOf(entries, 'fullstop'), wanted),
  );
}

function enginePage(entries: readonly PublicEntry[]): string {
  return page(
    'Engine API',
    `Where runs are kept, and how programs start, answer, cancel, list and follow them. [Runs](../runs.md#engines) says which engine to take. ${generated}`,
    '',
    '`memoryEngine()` is in `fullstop`, `sqliteEngine(file, options)` in `fullstop/engines/sqlite`, `postgresEngine(options)` in `fullstop/engines/postgres`. All of them have the',
    'same methods and pass the same suite (`npm run test:conformance`).',
    '',
    ...memberSections(namesOf(entries, 'fullstop/engine'), ['Engine', 'RunFilter', 'JournalQuery', 'WorkerOptions']),
    ...memberSections(namesOf(entries, 'fullstop/engines/sqlite'), ['SqliteEngineOptions']),
    ...memberSections(namesOf(entries, 'fullstop/engines/postgres'), ['PostgresEngineOptions']),
  );
}

async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const [name, { load }] of Object.entries(commandTable)) {
    const { command } = await load();
    const { summary, operands, options, examples, notes = [] } = command;
    sections.push(`## \`${name}\``, '', `${summary}.`, '', '```text');
    sections.push(`fullstop ${name} ${operands} [OPTIONS]`.replace('  [', ' ['), '```', '');
    for (const note of notes) sections.push(escaped(note), '');
    if (Object.keys(options).length > 0) sections.push(...optionTable(options));
    if (examples.length > 0) sections.push('```text', ...examples, '```', '');
  }
  return page(
    'The command line, by command',
    `${generated} [The command line](../cli.md) explains how they belong together, with exit codes and configuration.`,
    '',
    'Every command accepts these options too:',
    '',
    ...optionTable(globalOptions),
    ...sections,
  );
}

function optionTable(options: OptionTable): readonly string[] {
  const rows = Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? '' : `\`-${spec.short}\`, `;
    const value = spec.type === 'flag' ? '' : ` ${spec.value}`;
    const choices = spec.type === 'flag' || spec.choices === undefined ? '' : ` (${spec.choices.join(', ')})`;
    const times = spec.type === 'list' && !spec.about.includes('several times') ? '; may be given several times' : '';
    return [`${short}\`--${name}${value}\``, `${escaped(spec.about)}${choices}${times}`];
  });
  return table(['option', ''], rows);
}

function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;');
}

function errorsPage(): string {
  const thrown = Object.entries(errorCodes).map(([name, { cause, fix }]) => [`\`${name}\``, cause, fix]);
  const inside = Object.entries(endingCodes).map(([name, { seen, cause, fix }]) => [`\`${name}\``, seen, cause, fix]);
  return page(
    'Error codes',
    '`error.code` is stable, `error.message` is for people and says what was found and what is allowed, `error.issues` and `error.details` are for programs.',
    '',
    '## Thrown',
    '',
    'A `FullstopError` is thrown for misuse, before a run has started, and by what only reads or writes. Whatever happens inside a run becomes its',
    '[termination](../terminations.md) instead, so that some of these codes are also found there, as `termination.error.code`. `FullstopError.is(error)` recognises them across copies of the library.',
    '',
    ...table(['code', 'cause', 'what to do'], thrown),
    '## In endings and results',
    '',
    'These are never thrown at you: they are the `code` of an error that an ending, a step, a tool call or a notice holds as evidence. Other codes there come from your own code, from Node or from a provider.',
    '',
    ...table(['code', 'seen in', 'cause', 'what to do'], inside),
    '## In workflow files',
    '',
    '`fullstop validate FILE` reports problems with codes of their own (`UNKNOWN_KEY`, `UNKNOWN_STEP`, `WRONG_TYPE`…), each with line, column, a sentence and a hint; `--json` prints them as data.',
    'The exit codes of the command line are [the categories of endings](../cli.md#exit-codes).',
    '',
    generated,
  );
}

function journalPage(entries: readonly PublicEntry[]): string {
  const data =
    namesOf(entries, 'fullstop/journal')
      .find(({ name }) => name === 'EntryData')
      ?.members() ?? [];
  const rows = Object.entries(journalEntries).map(([name, when]) => {
    const fields = data.find((member) => member.name === name)?.fields() ?? [];
    return [`\`${name}\``, when, fields.map((field) => `\`${field}\``).join(', ')];
  });
  return page(
    'Entries of the journal',
    'A journal is everything that a run did, one entry a line: `fullstop events RUN` prints it, `engine.journal(runId)` reads it, and `exportJournal` of',
    '`fullstop/journal` writes it to a file. Each entry has `runId`, `segment`, `seq`, `scope` (the unit that it belongs to), `ordinal` (its place in the scope), `key`, `at`',
    '(milliseconds), `type` and `data`; engines on a store add `hash`, which chains it to the one before. [Runs](../runs.md#the-journal) says how it is verified. The',
    'type `EntryData` has the types of the fields; `?` marks those that may be absent, and `observed` has those of its evaluation point.',
    '',
    ...table(['type', 'written when', 'fields of `data`'], rows),
    generated,
  );
}

function httpPage(): string {
  // The routes are only listed: nothing is asked of the store.
  const around: unknown = { version: '', store: { engine: {} }, pages: {} };
  const routes = allRoutes(around as DashboardSurroundings);
  const rows = routes.map(({ method, path, summary, changes, response }) => [
    `\`${method.toUpperCase()} /api${path}\``,
    summary,
    typeof response === 'string' ? `\`${response}\`` : 'JSON',
    changes ? 'yes' : '',
  ]);
  return page(
    "The dashboard's HTTP API",
    '`fullstop dashboard` serves it, on the loopback interface and with a token, as [the dashboard](../dashboard.md) explains. `GET /api/openapi.json` has the schemas of all',
    'requests and answers (OpenAPI 3.1), made from those that check them. A route that changes something is refused by `fullstop dashboard --read-only`.',
    '',
    ...table(['route', 'does', 'answers with', 'changes'], rows),
    generated,
  );
}
