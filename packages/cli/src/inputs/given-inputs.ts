import type { Workflow } from 'fullstop/workflow';
import type { OptionValues } from '../command-line/option.js';
import { harmless } from '../terminal/foreign-text.js';
import type { Terminal } from '../terminal/terminal.js';
import type { inputOptions } from './input-options.js';

interface InputInvocation {
  readonly options: OptionValues<typeof inputOptions> & { readonly quiet: boolean; readonly lenient?: boolean };
  readonly terminal: Terminal;
}

/** The inputs of the command line. The reference takes any input as it looks, and finds out later what is missing. */
export async function givenInputs(
  { document }: Workflow,
  { options: given, terminal }: InputInvocation,
): Promise<string> {
  const { readInputs, refuseMissing, undeclaredInputs } = await import('./read-inputs.js');
  const declared = document.workflow.input;
  if (given.lenient === true) return readInputs(given, new Map());
  const inputs = readInputs(given, declared);
  if (!given.quiet)
    for (const problem of undeclaredInputs(inputs, declared))
      terminal.error(`${terminal.errorStyle.yellow('warning')} ${harmless(problem)}\n`);
  refuseMissing(inputs, declared);
  return inputs;
}
