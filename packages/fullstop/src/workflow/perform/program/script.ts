import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { markOf } from '../../../engines/sqlite/liveness.js';
import type { StepAttempt } from '../../../run/run-context.js';
import { Dict } from '../../../template/dict.js';
import { readJsonText, writeJsonText } from '../../../template/json-text.js';
import type { Value } from '../../../template/value.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { ScriptStep } from '../../schema/steps/script.js';
import { readJson } from '../../source/read-json.js';
import type { Environment } from '../environment.js';
import type { StepView } from '../runtime.js';
import { render } from '../scope/render.js';
import { renderingOf } from '../scope/scopes.js';
import { checkOutput } from '../values/check-output.js';
import { endOrphans } from './orphans.js';
import { type ProgramResult, runProgram } from './run-program.js';
import { spillOutput } from './spill-output.js';

/** The outcome of a script that ran, as the journal has it. */
export interface ScriptOutcome {
  readonly output: string;
  readonly exitCode: number;
  readonly stdinBytes?: number;
}

interface ScriptContext extends StepView {
  readonly attempt: StepAttempt;
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly workingDirectory: string;
  readonly stdin: string | undefined;
}

const mostOutputBytes = 10_000_000;
/** Above this, the output of a program goes to a file and only its beginning into the journal. */
const longestKept = 1_000_000;

/** Runs the program of a script step and reads what it printed. */
export async function runScript(step: ScriptStep, context: ScriptContext): Promise<ScriptOutcome> {
  const { runtime, attempt } = context;
  const { environment } = runtime;
  const call = renderCommand(step, context);
  await endOrphans(attempt.notes);
  const result = await runProgram({
    ...call,
    onStarted: (pid) => attempt.note({ ...markOf(pid) }),
    programs: runtime.programs,
    command: attempt.unseal(call.command),
    args: attempt.unseal(call.args),
    stdin: call.stdin === undefined ? undefined : attempt.unseal(call.stdin),
    env: attempt.unseal({ ...environment.env, PYTHONUTF8: '1', ...Object.fromEntries(step.env) }),
    timeoutMs: step.timeout === undefined ? undefined : step.timeout * 1000,
    maxOutputBytes: outputLimit(environment),
    signal: attempt.signal,
    clock: attempt.clock,
  });
  const exited = exitOf(step, call, result);
  const output = outputValue(environment, exited);
  if (step.output !== undefined) checkScriptOutput(step, output, { ...exited, limit: outputLimit(environment) });
  const stdinBytes = call.stdin === undefined ? undefined : Buffer.byteLength(call.stdin);
  return {
    output: writeJsonText(output),
    exitCode: exited.exitCode,
    ...(stdinBytes !== undefined && { stdinBytes }),
  };
}

function renderCommand(step: ScriptStep, given: ScriptContext): Command {
  const { runtime } = given;
  const rendering = renderingOf(step, given);
  const command = render(rendering, step.command);
  const args = step.args.map((argument) => render(rendering, argument));
  const directory = step.working_dir === undefined ? '' : render(rendering, step.working_dir);
  const stdin = step.stdin === undefined ? undefined : render(rendering, step.stdin);
  return { command, args, workingDirectory: resolve(runtime.environment.workingDirectory, directory), stdin };
}

type Exited = Extract<ProgramResult, { type: 'exited' }>;

function exitOf(step: ScriptStep, { command, workingDirectory }: Command, result: ProgramResult): Exited {
  if (result.type === 'exited') return result;
  if (result.type === 'timed_out') {
    throw new StepProblem('ExecutionError', `Script '${step.name}' timed out after ${step.timeout}s`, {
      code: 'SCRIPT_TIMEOUT',
      errorClass: 'external',
    });
  }
  const { code = 'UNKNOWN', message } = result.error;
  const where = existsSync(workingDirectory) ? '' : ` (working_dir=${workingDirectory})`;
  const why = code === 'ENOENT' ? `command not found: '${command}'${where}` : `cannot run '${command}': ${message}`;
  throw new StepProblem('ExecutionError', `Script '${step.name}': ${why}`, { code: `SCRIPT_${code}` });
}

/** The printed text and the exit code, and the members of a JSON object on stdout, which cannot say otherwise about these. */
function outputValue(environment: Environment, { stdout, stderr, exitCode, cut }: Exited): Dict {
  const lost = `\n[cut: it printed more than ${outputLimit(environment)} bytes, and the rest is lost]`;
  const measured = new Dict()
    .setText('stdout', `${kept(environment, stdout)}${cut.stdout ? lost : ''}`)
    .setText('stderr', `${kept(environment, stderr)}${cut.stderr ? lost : ''}`)
    .setText('exit_code', exitCode);
  const output = measured.copy();
  for (const [key, value] of objectIn(stdout)?.entries() ?? [])
    if (measured.getText(String(key)) === undefined) output.setText(String(key), value as Value);
  return output;
}

/** The text itself, or its beginning and the file that has all of it. */
function kept({ spillDirectory, secrets }: Environment, text: string): string {
  if (text.length <= longestKept) return text;
  const file = spillOutput({ name: 'script', text, directory: spillDirectory, secrets });
  return `${text.slice(0, longestKept)}\n[cut: ${text.length - longestKept} more characters in ${file}]`;
}

function objectIn(stdout: string): Dict | undefined {
  const value = /^\s*\{/.test(stdout) ? readJson(stdout)?.value : undefined;
  return value instanceof Dict ? value : undefined;
}

function checkScriptOutput(step: ScriptStep, output: Dict, printed: Exited & { readonly limit: number }): void {
  if (objectIn(printed.stdout) === undefined) {
    const what = `declares an output schema, but its stdout ${whyNoObject(printed)}`;
    throw new StepProblem('ValidationError', `Script '${step.name}' ${what}`);
  }
  const [violation] = checkOutput(output, step.output ?? new Map());
  if (violation !== undefined) throw new StepProblem('ValidationError', violation.message);
}

function whyNoObject({ stdout, cut, limit }: Exited & { readonly limit: number }): string {
  if (cut.stdout)
    return `is too long to be read as JSON: it printed more than ${limit} bytes (the limit, maxScriptOutputBytes)`;
  try {
    readJsonText(stdout);
    return 'is JSON, but not an object';
  } catch (error) {
    return `is not valid JSON: ${(error as Error).message}`;
  }
}

function outputLimit({ maxScriptOutputBytes = mostOutputBytes }: Environment): number {
  return maxScriptOutputBytes;
}
