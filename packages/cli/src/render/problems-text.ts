import { readFileSync } from 'node:fs';
import type { WorkflowProblem } from 'fullstop/workflow';
import { harmless, oneLine } from '../terminal/foreign-text.js';
import type { Style } from '../terminal/style.js';

/** The problems of workflow files, each with its place, the offending text and a hint. */
export function problemsText(problems: readonly WorkflowProblem[], style: Style): string {
  return problems
    .map(({ severity, code, file, line, column, path, message, text, hint }) => {
      const word = severity === 'error' ? style.red('error') : style.yellow('warning');
      const where = style.bold(`${oneLine(file)}:${line}:${column}`);
      const found =
        text === undefined || text === '' || text === file || message.includes(text)
          ? ''
          : `, found ${JSON.stringify(oneLine(text))}`;
      const help = hint === undefined ? '' : `\n  ${style.dim(harmless(hint))}`;
      const isFileItself = code.startsWith('FILE_') && line === 1 && column === 1;
      const lines = (isFileItself ? [] : excerpt(file, line, column)).map((each) => `\n  ${style.dim(harmless(each))}`);
      return `${where} ${word} ${path === '' ? '' : `${oneLine(path)}: `}${harmless(message)}${found}${lines.join('')}${help}\n`;
    })
    .join('');
}

const longestLine = 120;

/** The line of a problem with a mark under the column; nothing where the file cannot be read. */
function excerpt(file: string, line: number, column: number): readonly string[] {
  let text: string | undefined;
  try {
    text = readFileSync(file, 'utf8').split(/\r?\n/)[line - 1];
  } catch {
    // That it cannot be read is the problem that is being reported.
  }
  if (text === undefined || text.trim() === '' || column > longestLine) return [];
  const number = String(line);
  const mark = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return [`${number} | ${text.slice(0, longestLine)}`, `${' '.repeat(number.length)} | ${mark}^`];
}
