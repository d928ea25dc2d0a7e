import type { Problem } from 'fullstop/workflow';
import type { Style } from '../terminal/style.js';
import { harmless } from '../terminal/wrap.js';

/** What is wrong with workflow files, each with its place, the offending text and a hint. */
export function problemsText(problems: readonly Problem[], style: Style): string {
  return problems
    .map(({ severity, file, line, column, path, message, text, hint }) => {
      const word = severity === 'error' ? style.red('error') : style.yellow('warning');
      const where = style.bold(`${file}:${line}:${column}`);
      const found =
        text === undefined || text === '' || message.includes(text) ? '' : `, found ${JSON.stringify(text)}`;
      const help = hint === undefined ? '' : `\n  ${style.dim(harmless(hint))}`;
      return `${where} ${word} ${path === '' ? '' : `${path}: `}${harmless(message)}${found}${help}\n`;
    })
    .join('');
}
