import type { Script, ScriptAnswer } from '../../packages/fullstop/src/models/scripted/script.js';
import { type ScriptedModel, scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { Dict } from '../../packages/fullstop/src/template/dict.js';
import { readJsonText, writeJsonText } from '../../packages/fullstop/src/template/json-text.js';
import { Float, type Value } from '../../packages/fullstop/src/template/value.js';
import type { ParityCase } from './case.js';

export interface ScriptedCase {
  readonly model: ScriptedModel;
  /** The prompts handed to the model, by step. */
  readonly prompts: Record<string, string[]>;
}

/** The scripted model of a case. Objects are answered as the JSON of an output, so that `1.0` stays `1.0`. */
export function scriptedCase({ text }: ParityCase): ScriptedCase {
  const whole = readJsonText(text) as Dict;
  const usage = whole.getText('usage');
  const answers: Record<string, readonly ScriptAnswer[]> = { '*': [{ error: { status: 400, message: 'no answer' } }] };
  for (const [step, list] of dictEntries(whole.getText('model'))) {
    const used = usage instanceof Dict ? usage.getText(step) : undefined;
    answers[step] = (list as Value[]).map((answer) => ({ ...answerOf(answer), ...usageOf(used) }));
  }
  const prompts: Record<string, string[]> = {};
  const script: Script = { answers, exhausted: 'repeat-last' };
  const model = scriptedModel(script, {
    onCall: ({ agent, options }) => {
      const last = options.prompt.at(-1)?.content;
      const said = Array.isArray(last) ? last.map((part: { text?: string }) => part.text ?? '').join('') : String(last);
      prompts[agent] = [...(prompts[agent] ?? []), said];
    },
  });
  return { model, prompts };
}

function answerOf(answer: Value): ScriptAnswer {
  if (!(answer instanceof Dict)) return { text: String(answer) };
  const error = answer.getText('$error');
  if (error instanceof Dict) {
    const message = String(error.getText('message'));
    return { error: { status: error.getText('retryable') === true ? 503 : 400, message } };
  }
  const delay = numberOf(answer.getText('$delay'));
  const output = new Dict();
  for (const [key, value] of answer.entries()) if (key !== '$delay') output.setText(String(key), value);
  return { outputText: writeJsonText(output), ...(delay !== undefined && { delay: `${delay}s` }) };
}

function usageOf(usage: Value | undefined): Pick<ScriptAnswer, 'usage'> {
  if (!(usage instanceof Dict)) return {};
  const [inputTokens = 0, outputTokens = 0] = [numberOf(usage.getText('input')), numberOf(usage.getText('output'))];
  return { usage: { inputTokens, outputTokens } };
}

function numberOf(value: Value | undefined): number | undefined {
  if (value instanceof Float) return value.value;
  return typeof value === 'number' ? value : undefined;
}

function dictEntries(value: Value | undefined): readonly (readonly [string, Value])[] {
  return value instanceof Dict ? [...value.entries()].map(([key, each]) => [String(key), each] as const) : [];
}
