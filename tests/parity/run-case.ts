import { join } from 'node:path';
import { Dict } from '../../packages/fullstop/src/template/dict.js';
import { readJsonText, writeJsonText } from '../../packages/fullstop/src/template/json-text.js';
import { outcome } from '../../packages/fullstop/src/termination/classify.js';
import type { Ending } from '../../packages/fullstop/src/termination/ending.js';
import { FullstopError } from '../../packages/fullstop/src/termination/errors/fullstop-error.js';
import type { AnyTermination } from '../../packages/fullstop/src/termination/kinds.js';
import { conductorEvents } from '../../packages/fullstop/src/workflow/conductor-events.js';
import { formatOutput } from '../../packages/fullstop/src/workflow/format-output.js';
import { WorkflowInvalid } from '../../packages/fullstop/src/workflow/load/load-document.js';
import { loadWorkflow } from '../../packages/fullstop/src/workflow/load-workflow.js';
import { inputsFromText } from '../../packages/fullstop/src/workflow/read-inputs.js';
import { copyOf, type ParityCase } from './case.js';
import { scriptedCase } from './scripted.js';

/** The outcome of a case here, in the form in which the reference was recorded. */
export interface Actual {
  readonly exit: 'zero' | 'not zero';
  readonly outputText: string | null;
  readonly events: readonly string[];
  readonly unordered: readonly string[];
  readonly terminal: Readonly<Record<string, unknown>> | null;
  readonly history: readonly string[];
  readonly prompts: Readonly<Record<string, readonly string[]>>;
  readonly message: string;
  readonly termination?: AnyTermination;
}

/** Runs a case in this process, as `run --lenient` would. */
export async function runCase(parity: ParityCase): Promise<Actual> {
  const { directory, remove } = copyOf(parity);
  try {
    return await runIn(directory, parity);
  } finally {
    remove();
  }
}

async function runIn(directory: string, parity: ParityCase): Promise<Actual> {
  const flags = readFlags(parity);
  if (flags === undefined) return refused('usage: no-such-flag');
  const { model, prompts } = scriptedCase(parity);
  const env = { ...process.env, ...parity.env };
  try {
    const file = join(directory, 'workflow.yaml');
    const workflow = loadWorkflow(file, { lenient: true, model, env, workingDirectory: directory });
    const result = await workflow.run(flags.inputs, { skipGates: flags.skipGates });
    const log = conductorEvents(await result.journal());
    const root = log.filter(({ data }) => data['subworkflow_path'] === undefined);
    const last = root.at(-1);
    const isTerminal = last?.type === 'workflow_completed' || last?.type === 'workflow_failed';
    const { events, unordered } = separate(root.map(({ type, data }) => ({ type, data })));
    const verdict = outcome(result.termination as Ending);
    return {
      exit: verdict === 'succeeded' || verdict === 'skipped' ? 'zero' : 'not zero',
      outputText: result.outputText === undefined ? null : formatOutput(result.outputText),
      events,
      unordered,
      terminal: isTerminal ? terminalOf(last) : null,
      history: result.history,
      prompts,
      message: String(last?.data['message'] ?? ''),
      termination: result.termination,
    };
  } catch (error) {
    if (error instanceof WorkflowInvalid) return refused(error.message);
    throw error;
  }
}

function refused(message: string): Actual {
  return {
    exit: 'not zero',
    outputText: null,
    events: [],
    unordered: [],
    terminal: null,
    history: [],
    prompts: {},
    message,
  };
}

interface Flags {
  readonly inputs: string;
  readonly skipGates: boolean;
}

/** The flags that cases use; undefined for a usage error. */
function readFlags({ flags, text }: ParityCase): Flags | undefined {
  const given = (readJsonText(text) as Dict).getText('inputs');
  const inputs = given instanceof Dict ? given.copy() : new Dict();
  let skipGates = false;
  for (let index = 0; index < flags.length; index += 1) {
    const flag = flags[index];
    if (flag === '--skip-gates') skipGates = true;
    else if (flag === '-i' || flag === '--input') {
      index += 1;
      const read = readInput(flags[index] ?? '');
      if (read === undefined) return undefined;
      for (const [name, value] of read.entries()) inputs.setText(String(name), value);
    } else return undefined;
  }
  return { inputs: writeJsonText(inputs), skipGates };
}

function readInput(given: string): Dict | undefined {
  try {
    return readJsonText(inputsFromText([{ type: 'text', given }])) as Dict;
  } catch (error) {
    if (error instanceof FullstopError) return undefined;
    throw error;
  }
}

const terminalKeys = [
  'error_type',
  'termination_reason',
  'terminated_by',
  'is_explicit',
  'status',
  'agent_name',
] as const;

function terminalOf({ type, data }: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }) {
  const kept = terminalKeys.flatMap((key) => (data[key] === undefined ? [] : [[key, data[key]] as const]));
  return { type, ...Object.fromEntries(kept) };
}

const opens = new Set(['parallel_started', 'for_each_started']);
const closes = new Set(['parallel_completed', 'for_each_completed', 'workflow_failed', 'workflow_completed']);

/** Events of group members have no order; everything else has. */
function separate(log: readonly { readonly type: string }[]): { events: string[]; unordered: string[] } {
  const [events, unordered]: [string[], string[]] = [[], []];
  let inGroup = false;
  for (const { type } of log) {
    if (inGroup && closes.has(type)) inGroup = false;
    (inGroup ? unordered : events).push(type);
    if (opens.has(type)) inGroup = true;
  }
  return { events, unordered: unordered.sort() };
}
