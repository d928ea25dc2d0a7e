import type { Place } from './yaml-node.js';

/** Which check found a problem: reading the YAML, its keys and types, or what the parts mean together. */
export type Stage = 'yaml' | 'schema' | 'semantic';

/** One thing that is wrong with a workflow file, or suspicious about it, and where. */
export interface WorkflowProblem {
  readonly severity: 'error' | 'warning';
  /** A stable word for the kind of problem. */
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Dotted path into the document, empty for the whole of it. */
  readonly path: string;
  /** The offending text. */
  readonly text?: string;
  readonly hint?: string;
  readonly stage: Stage;
}

export type DocumentPath = readonly (string | number)[];

export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly at: Place;
  readonly path?: DocumentPath;
  readonly text?: string;
  readonly hint?: string;
}

/** Collects problems of one stage. */
export interface Report {
  readonly problems: WorkflowProblem[];
  error(finding: Finding): void;
  warn(finding: Finding): void;
}

const longestText = 120;

export interface ReportOptions {
  /** Those that are known already. */
  readonly problems?: WorkflowProblem[];
  /** Puts names in the place of values that must not be shown. */
  readonly mask?: <T>(value: T) => T;
}

export function createReport(stage: Stage, { problems = [], mask = (value) => value }: ReportOptions = {}): Report {
  const add = (severity: WorkflowProblem['severity'], finding: Finding): void => {
    // Before a text is cut: half of a secret would not be recognised.
    const { code, message, at, path = [], text, hint } = mask(finding);
    problems.push({
      severity,
      code,
      message,
      file: at.file,
      line: at.line,
      column: at.column,
      path: path.join('.'),
      ...(text === undefined ? {} : { text: firstLine(text) }),
      ...(hint === undefined ? {} : { hint }),
      stage,
    });
  };
  return { problems, error: (finding) => add('error', finding), warn: (finding) => add('warning', finding) };
}

/** Adds the problems of another file, which may have been added for another step or file that uses it too. */
export function addProblems(problems: WorkflowProblem[], more: readonly WorkflowProblem[]): void {
  const keyOf = ({ file, line, column, path, code, message }: WorkflowProblem): string =>
    JSON.stringify([file, line, column, path, code, message]);
  const known = new Set(problems.map(keyOf));
  for (const problem of more) {
    const key = keyOf(problem);
    if (known.has(key)) continue;
    known.add(key);
    problems.push(problem);
  }
}

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  const line = end < 0 ? text : text.slice(0, end);
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}

/** `triage.yaml:12:5: agents.0.status: …`, with the offending text and the hint. */
export function formatProblem(problem: WorkflowProblem): string {
  const { file, line, column, path, message, text, hint } = problem;
  const place = path === '' ? '' : `${path}: `;
  const found = text === undefined || text === '' || message.includes(text) ? '' : `, found ${JSON.stringify(text)}`;
  return `${file}:${line}:${column}: ${place}${message}${found}${hint === undefined ? '' : `. ${hint}`}`;
}
