import { dirname, relative } from 'node:path';
import { TemplateError } from '../../../template/template-error.js';
import { type TextUse, textUses } from '../../analyze/text-uses.js';
import type { Rendering } from './rendering.js';

/** Says of a template or condition that failed which one it is and its place: `summary.prompt at triage.yaml:23:14`. */
export function withPlace(error: unknown, { runtime, at }: Pick<Rendering, 'runtime' | 'at'>, source: string): unknown {
  if (!(error instanceof TemplateError)) return error;
  const uses = textUses(runtime.program.document, runtime.program.steps.fields).filter(({ text }) => text === source);
  const use = uses.find(({ step }) => step?.name === at) ?? uses[0];
  if (use === undefined) return error;
  const { message, reason, detail, errorType, templateName, line, column } = error;
  // A template that another one includes has places of its own.
  const isOwn = templateName === undefined || templateName === use.file;
  const place = isOwn ? runtime.loaded.locateInText(use.path, { line, column }) : { file: templateName, line, column };
  const file = isOwn ? relative(dirname(runtime.loaded.file), place.file) : place.file;
  const details = { reason, detail, errorType, line: place.line, column: place.column, templateName: file };
  const where = `${keyOf(use)} at ${file}:${place.line}:${place.column}`;
  return new TemplateError(`${where}: ${message}`, details, { cause: error });
}

/** `summary.prompt`, or `output.report` where no step has it. */
function keyOf({ step, path }: TextUse): string {
  if (step === undefined) return path.join('.');
  return [step.name, ...path.slice(path[0] === 'for_each' ? 3 : 2)].join('.');
}
