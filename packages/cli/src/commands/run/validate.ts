import type { WorkflowProblem } from 'fullstop/workflow';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { workflowCommand } from '../../github/workflow-command.js';
import { counted } from '../../journal/number-text.js';
import { problemsText } from '../../render/problems-text.js';
import { sealedVariables } from '../../workflow/model-options.js';
import { confineOption, shownDocument } from '../../workflow/shown-document.js';

const options = {
  lenient: { type: 'flag', about: 'Only errors of the schema count, as for run --lenient' },
  confine: confineOption,
  strict: { type: 'flag', about: 'Warnings count as errors' },
  endings: { type: 'flag', about: 'Also lists every way each file can end' },
  json: { type: 'flag', about: 'The problems as JSON' },
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'validate',
  summary: 'Checks workflow files without running them',
  operands: 'FILE...',
  arity: [1, Number.POSITIVE_INFINITY],
  options,
  // Whoever checks a file of others executes nothing of theirs.
  config: 'data',
  notes: ['Reports all problems of all files at once, each with its place. Exit code 2 when a file cannot be run.'],
  examples: ['fullstop validate triage.yaml', 'fullstop validate flows/*.yaml --strict'],
  run: async (invocation) => {
    const checked = await Promise.all(invocation.positionals.map((file) => check(file, invocation)));
    const { options: given, terminal } = invocation;
    if (given.json)
      terminal.data(
        `${JSON.stringify(
          checked.map(({ endings: _, ...rest }) => rest),
          null,
          2,
        )}\n`,
      );
    else for (const result of checked) print(result, invocation);
    annotateProblems(checked, invocation);
    return checked.every(({ valid }) => valid) ? exitCodes.succeeded : exitCodes.usage;
  },
});

interface Checked {
  readonly file: string;
  readonly valid: boolean;
  readonly problems: readonly WorkflowProblem[];
  readonly endings: string;
}

async function check(
  file: string,
  { options: given, env, loaded: settings }: Invocation<typeof options>,
): Promise<Checked> {
  const { analyzeWorkflow, describeAnalysis, loadDocument } = await import('fullstop/workflow');
  const question = {
    file,
    env,
    lenient: given.lenient,
    confine: given.confine,
    ...sealedVariables(settings.config, env),
  };
  const result = loadDocument(question);
  if (!result.ok) return { file, valid: false, problems: result.problems, endings: '' };
  const { loaded } = result;
  const shown = given.endings ? await shownDocument(question) : undefined;
  const endings = shown === undefined ? '' : `${describeAnalysis(analyzeWorkflow(shown))}\n`;
  return { file, valid: !(given.strict && loaded.warnings.length > 0), problems: loaded.warnings, endings };
}

function print({ file, valid, problems, endings }: Checked, { terminal }: Invocation<typeof options>): void {
  const style = terminal.outStyle;
  if (problems.length > 0) terminal.error(problemsText(problems, terminal.errorStyle));
  const sign = valid ? style.green(style.glyphs ? '✓' : 'ok') : style.red(style.glyphs ? '✗' : 'X');
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const counts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(problems.length > errors ? [counted(problems.length - errors, 'warning')] : []),
  ];
  terminal.out(`${sign} ${file}${counts.length === 0 ? '' : ` ${style.dim(counts.join(', '))}`}\n${endings}`);
}

/** In a job of GitHub Actions each problem is shown at its line. */
function annotateProblems(checked: readonly Checked[], { env, terminal }: Invocation<typeof options>): void {
  if (env['GITHUB_ACTIONS'] !== 'true') return;
  for (const { problems } of checked)
    for (const { severity, file, line, column, message } of problems)
      terminal.command(workflowCommand(severity, { file, line, col: column }, message));
}
