import type { AgentStep } from '../document.js';
import { Dict } from '../template/dict.js';
import { writeJsonText } from '../template/json-text.js';
import { unwrapScalars } from './check-output.js';
import { jsonInText, scalarInText } from './json-in-text.js';

/** JSON text of an agent's output: the fields that it declares, or its words under `result`. */
export function answerText(step: AgentStep, text: string): string {
  const fields = step.output_mode === 'raw' ? undefined : step.output;
  const read = jsonInText(text) ?? (fields === undefined ? undefined : scalarInText(text));
  if (fields !== undefined && fields.size > 0 && read !== undefined) return writeJsonText(unwrapScalars(read, fields));
  // An answer that is such an envelope already is not put into another one.
  if (read?.size === 1 && typeof read.getText('result') === 'string' && step.output_mode !== 'raw')
    return writeJsonText(read);
  return writeJsonText(new Dict().setText('result', text));
}
