import type { WorkflowResult } from 'fullstop/workflow';
import type { Invocation } from '../command-line/command.js';
import { exitCodeOf, exitCodeOfSignal, exitCodes } from '../command-line/exit-code.js';
import { annotate } from '../github/annotate.js';
import { endingBanner } from '../render/ending-banner.js';
import type { Store } from '../store/open-store.js';
import { readRun } from '../store/read-run.js';
import { explainRecord } from '../why/explain-damage.js';
import { deliverEndings } from './deliver-endings.js';
import type { Followed } from './follow-run.js';

/** Reports how a run ended: the banner on stderr, the result as JSON and nothing else on stdout. Returns the exit code. */
export async function finishRun(followed: Followed, store: Store, invocation: FinishInvocation): Promise<number> {
  const { terminal, env, options } = invocation;
  if ('signal' in followed) {
    terminal.error(`Stopped by ${followed.signal}.\n`);
    return exitCodeOfSignal(followed.signal) ?? exitCodes.fatal;
  }
  const { result } = followed;
  const code = exitCodeOf(result);
  const explanation = explainRecord(await readRun(store.engine, result.runId), options.store);
  const look = { style: terminal.errorStyle, columns: terminal.errorColumns, wraps: terminal.errorIsTerminal, code };
  if (!options.quiet) terminal.error(endingBanner(explanation, look));
  annotate(explanation, { env, write: terminal.command, mask: terminal.masked });
  terminal.data(await resultText(result, options.json));
  await deliverEndings(store, terminal);
  return code;
}

export type FinishInvocation = Pick<Invocation, 'terminal' | 'env'> & {
  readonly options: { readonly json: boolean; readonly quiet: boolean; readonly store: string | undefined };
};

async function resultText(result: WorkflowResult, json: boolean): Promise<string> {
  if (json) {
    const { outputText: _text, observations: _observations, resume: _resume, journal: _journal, ...envelope } = result;
    return `${JSON.stringify(envelope, null, 2)}\n`;
  }
  if (result.output === undefined) return '';
  const { formatOutput } = await import('fullstop/workflow');
  return `${formatOutput(result.outputText ?? JSON.stringify(result.output))}\n`;
}
