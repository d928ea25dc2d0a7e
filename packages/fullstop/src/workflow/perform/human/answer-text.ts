import { Dict } from '../../../template/dict.js';
import { writeJsonText } from '../../../template/json-text.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import { jsonInText, scalarInText } from '../agent/json-in-text.js';
import { unwrapScalars } from '../values/check-output.js';

export interface AgentAnswer {
  readonly text: string;
  /** Whether it is data that was given as such, and not words. */
  readonly structured: boolean;
}

/** JSON text of an agent's output: the fields that it declares, the data that its model gave, or its words under `result`. */
export function answerText(step: AgentStep, { text, structured }: AgentAnswer): string {
  const fields = step.output_mode === 'raw' ? undefined : step.output;
  const read = jsonInText(text) ?? (fields === undefined && !structured ? undefined : scalarInText(text));
  if (fields !== undefined && fields.size > 0 && read !== undefined) return writeJsonText(unwrapScalars(read, fields));
  if (structured && read !== undefined) return writeJsonText(read);
  return writeJsonText(new Dict().setText('result', text));
}
