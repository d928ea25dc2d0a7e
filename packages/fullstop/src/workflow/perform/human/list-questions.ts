import { Dict } from '../../../template/dict.js';
import { TemplateError } from '../../../template/template-error.js';
import { toText } from '../../../template/text/python-text.js';
import type { Value } from '../../../template/value.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { Question } from '../../schema/record-types.js';
import type { QuestionsStep } from '../../schema/steps/questions.js';
import type { StepContext } from '../runtime.js';
import { render, renderFileText } from '../scope/render.js';
import type { Rendering } from '../scope/rendering.js';
import { renderingOf } from '../scope/scopes.js';
import { sourceList } from '../values/items.js';
import { reservedWords } from './reserved-words.js';

/** A question as it is asked: everything rendered. */
export interface AskedQuestion {
  readonly id: string;
  readonly text: string;
  readonly hint?: string;
  readonly choices?: readonly string[];
  readonly allowFreeText: boolean;
  /** Whether an answer in words may have several lines. */
  readonly multiline: boolean;
  readonly default?: string;
  readonly required: boolean;
}

/** The questions of a step, from the file or from what an earlier step gave. */
export function listQuestions(
  step: QuestionsStep,
  given: StepContext,
): { readonly prompt: string; readonly questions: readonly AskedQuestion[] } {
  const rendering = renderingOf(step, given);
  const questions =
    step.source === undefined
      ? (step.questions ?? []).map((question, index) => fromFile(question, index, rendering))
      : sourceList(given.runtime, given.state, step.source).map((value, index) =>
          fromValue(step, value, { index, rendering }),
        );
  refuseUnusable(questions);
  return { prompt: renderFileText(rendering, step.prompt, step.prompt_file), questions };
}

function fromFile(question: Question, index: number, rendering: Rendering): AskedQuestion {
  const { hint, choices } = question;
  return {
    id: question.id ?? `q${index + 1}`,
    text: render(rendering, question.text),
    ...(hint !== undefined && { hint: render(rendering, hint) }),
    ...(choices !== undefined && { choices: choices.map((choice) => render(rendering, choice)) }),
    allowFreeText: question.allow_free_text,
    multiline: question.multiline,
    ...(question.default !== undefined && { default: question.default }),
    required: question.required,
  };
}

interface Sourced {
  readonly index: number;
  readonly rendering: Rendering;
}

function fromValue(step: QuestionsStep, value: Value, { index, rendering }: Sourced): AskedQuestion {
  const id = `q${index + 1}`;
  if (typeof value === 'string') {
    return { id, text: renderLoosely(rendering, value), allowFreeText: true, multiline: true, required: false };
  }
  const text = value instanceof Dict ? (value.getText('text') ?? value.getText('question')) : undefined;
  if (!(value instanceof Dict) || text === undefined) {
    throw new StepProblem('ExecutionError', `Question ${index + 1} of ${step.source} has no text`);
  }
  const choices = value.getText('choices');
  const usual = value.getText('default');
  return {
    id: textAt(value, 'id') ?? id,
    text: renderLoosely(rendering, toText(text)),
    ...(textAt(value, 'hint') !== undefined && { hint: textAt(value, 'hint') as string }),
    ...(Array.isArray(choices) && { choices: choices.map(toText) }),
    allowFreeText: value.getText('allow_free_text') !== false,
    multiline: value.getText('multiline') !== false,
    ...(usual !== undefined && usual !== null && { default: toText(usual) }),
    required: value.getText('required') === true,
  };
}

function textAt(value: Dict, key: string): string | undefined {
  const found = value.getText(key);
  return found === undefined || found === null ? undefined : toText(found);
}

/** Text that a model wrote may look like a template without being one. */
function renderLoosely(rendering: Rendering, text: string): string {
  try {
    return render(rendering, text);
  } catch (error) {
    if (error instanceof TemplateError) return text;
    throw error;
  }
}

function refuseUnusable(questions: readonly AskedQuestion[]): void {
  const known = new Set<string>();
  for (const { id, choices = [] } of questions) {
    if (known.has(id)) throw new StepProblem('ExecutionError', `Duplicate question id '${id}'`);
    known.add(id);
    const word = choices.find((choice) => reservedWords.has(choice));
    if (word !== undefined)
      throw new StepProblem('ExecutionError', `Question '${id}': the choice '${word}' is reserved`);
  }
}
