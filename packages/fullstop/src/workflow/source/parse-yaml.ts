import { Composer, type CST, type Document, LineCounter, type ParsedNode, Parser, type YAMLParseError } from 'yaml';
import type { Report } from './problem.js';
import type { Place } from './yaml-node.js';

/** The nodes of a YAML text as the parser returns them, with a way from an offset to a place. */
export interface ParsedYaml {
  readonly contents: ParsedNode | null;
  readonly text: string;
  /** Whether there is a tab where a value or a blank could be: the reference has no YAML there. */
  readonly hasTabs: boolean;
  place(offset: number): Place;
}

const deepest = 100;

/** Reads one YAML document without giving scalars a meaning; undefined when it has errors, which go to the report. */
export function parseYaml(text: string, file: string, report: Report): ParsedYaml | undefined {
  const lines = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const tooDeep = tokens.map(offsetOfTooDeep).find((offset) => offset !== undefined);
  if (tooDeep !== undefined) {
    report.error({ code: 'TOO_DEEP', message: `Values nest deeper than ${deepest} levels`, at: place(tooDeep) });
    return undefined;
  }
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, merge: false, logLevel: 'silent' });
  const documents = [...composer.compose(tokens, true, text.length)];
  const [first, second] = documents;
  let reported = 0;
  for (const error of documents.flatMap((document: Document.Parsed) => document.errors)) {
    const offset = isOpenQuote(error) ? (quoteBefore(tokens, error.pos[0]) ?? error.pos[0]) : error.pos[0];
    const at = place(offset);
    // Other errors on the same line mostly follow from the first.
    if (at.line === reported) continue;
    reported = at.line;
    report.error({ code: error.code, at, text: lineAt(text, offset), ...wordsFor(error) });
  }
  if (second !== undefined) {
    report.error({
      code: 'MULTIPLE_DOCUMENTS',
      message: 'A file holds one document only',
      at: place(second.range?.[0] ?? 0),
    });
  }
  if (report.problems.some((problem) => problem.severity === 'error')) return undefined;
  const hasTabs = text.includes('\t') && tokens.some(hasTab);
  return { contents: (first?.contents ?? null) as ParsedNode | null, text, hasTabs, place };
}

/** Composing is recursive and would end the process on deep input, so the depth is counted first, with a list. */
function offsetOfTooDeep(token: CST.Token): number | undefined {
  let level: readonly CST.Token[] = [token];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return level[0]?.offset;
    level = level.flatMap(childrenOf);
  }
  return undefined;
}

/** Tabs inside quotes, comments and blocks are text like any other, and inside brackets they are blanks. */
function hasTab(token: CST.Token): boolean {
  if (token.type === 'scalar' && token.source.includes('\t')) return true;
  if (token.type !== 'flow-collection' && marksOf(token).some(isTab)) return true;
  return childrenOf(token).some(hasTab);
}

function isTab({ type, source }: CST.SourceToken): boolean {
  return type === 'space' && source.includes('\t');
}

/** The blanks and signs around a value, and around the values inside it. */
function marksOf(token: CST.Token): readonly CST.SourceToken[] {
  const items = 'items' in token ? token.items.flatMap(({ start, sep }) => [...start, ...(sep ?? [])]) : [];
  const parts = ['start' in token && token.start, 'end' in token && token.end, 'props' in token && token.props];
  return [...items, ...parts.flatMap((marks) => (Array.isArray(marks) ? (marks as CST.SourceToken[]) : []))];
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child != null));
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? text.length : end).trim();
}

function isOpenQuote({ code, message }: Pick<YAMLParseError, 'code' | 'message'>): boolean {
  return code === 'MISSING_CHAR' && /^Missing closing .*quote/.test(message);
}

/** Where the text begins that ends at an offset: a quote that nobody closes reaches far, often to the end of the file. */
function quoteBefore(tokens: readonly CST.Token[], end: number): number | undefined {
  for (let level = tokens; level.length > 0; level = level.flatMap(childrenOf)) {
    const quoted = level.find((token) => 'source' in token && token.offset + token.source.length === end);
    if (quoted !== undefined && 'source' in quoted && /^["']/.test(quoted.source)) return quoted.offset;
  }
  return undefined;
}

interface Words {
  readonly message: string;
  readonly hint?: string;
}

/** Advice for the errors that everybody makes; of other messages the first line, as some quote whole lines. */
function wordsFor({ code, message }: YAMLParseError): Words {
  const sentence = message.split('\n', 1)[0] ?? message;
  if (isOpenQuote({ code, message }))
    return { message: 'A quote is opened, but not closed', hint: 'Close it, or write the text as a block after |' };
  const hint = code === 'BAD_INDENT' && sentence.startsWith('Flow') ? openBracket : hints[code];
  return hint === undefined ? { message: sentence } : { message: sentence, hint };
}

const openBracket = 'Close the bracket, or indent the lines inside it deeper than the key';

const hints: Readonly<Partial<Record<YAMLParseError['code'], string>>> = {
  BAD_INDENT: 'Let the keys of one mapping begin in the same column',
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that contains ": " in quotes',
  MULTILINE_IMPLICIT_KEY: 'Look for a colon that is missing, or a quote or bracket that is not closed',
  TAB_AS_INDENT: 'Indent with spaces',
  UNEXPECTED_TOKEN: 'Put the text in quotes',
};
