import type { NextAction } from '../../why/explanation.js';
import type { NextStep, SuggestedAction } from '../api/next-step.js';

/** Commands that the API has too, and those that only show something. */
const types: Readonly<Record<string, SuggestedAction['type']>> = {
  answer: 'answer',
  cancel: 'cancel',
  resume: 'resume',
  retry: 'retry',
  events: 'watch',
  show: 'show',
};

/** A next action with what its button does, read from the command that stands beside it: so the two cannot differ. */
export function nextStepOf(next: NextAction): NextStep {
  const action = next.command === undefined ? undefined : actionIn(next.command);
  return { ...next, ...(action !== undefined && { action }) };
}

function actionIn(command: string): SuggestedAction | undefined {
  const [, name = '', , ...rest] = wordsOf(command);
  const type = types[name];
  if (type === undefined) return undefined;
  if (type !== 'answer') return { type, ...flagsOf(rest) };
  const [requestId = '', ...flags] = rest;
  const { values, asks } = flagsOf(flags);
  return { type, requestId, ...answerOf(values), asks: asks.length === 0 ? [] : ['value'] };
}

type Values = SuggestedAction['values'];

function flagsOf(words: readonly string[]): Pick<SuggestedAction, 'asks' | 'values'> {
  const values: Record<string, Values[string]> = {};
  const asks: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const flag = words[index] ?? '';
    const name = camelCase(flag);
    const value = words[index + 1];
    if (value === undefined || value.startsWith('--')) {
      values[name] = true;
      continue;
    }
    index += 1;
    if (flag === '--store') continue;
    values[name] = readValue(value, name, values[name]);
    if (isPlaceholder(value)) asks.push(name);
  }
  return { values, asks };
}

/** The flags of an answer as the body of one. */
function answerOf(flags: Values): Pick<SuggestedAction, 'values'> {
  const { approve, deny, choose } = flags;
  if (approve === true) return { values: { decision: 'approve' } };
  if (deny === true) return { values: { decision: 'deny' } };
  return { values: choose === undefined ? { decision: 'value' } : { decision: 'choose', choice: choose } };
}

const lists: ReadonlySet<string> = new Set(['deadline', 'settled', 'without']);

function readValue(text: string, name: string, before: Values[string] | undefined): Values[string] {
  if (lists.has(name)) return [...(Array.isArray(before) ? (before as readonly string[]) : []), text];
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** `MODEL`, `WHAT TO DO DIFFERENTLY`: something that a person puts in. */
function isPlaceholder(text: string): boolean {
  return /^[A-Z][A-Z ]+$/.test(text);
}

/** The words of a command that was made to be copied into a shell. */
function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\'|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\'/g, (found, single?: string, double?: string) =>
      found === "\\'" ? "'" : (single ?? double ?? ''),
    ),
  );
}

function camelCase(flag: string): string {
  return flag.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
