import type { ReceivedAnswer } from '../../../engines/port/request.js';
import type { RunContext, RunEnd } from '../../../run/run-context.js';
import { valueFromJson, writeJsonText } from '../../../template/json-text.js';
import type { Ending } from '../../../termination/ending.js';
import { isObject, type JsonObject, type JsonValue } from '../../../termination/json.js';
import { makeQuestionId } from '../../graph/workflow-key.js';
import { attempt, type Problem } from '../../machine/step-problem.js';
import type { GateOption } from '../../schema/record-types.js';
import type { HumanGateStep } from '../../schema/steps/human-gate.js';
import type { StepContext } from '../runtime.js';
import { renderFileText } from '../scope/render.js';
import { renderingOf } from '../scope/scopes.js';
import { failUnit, unitDone } from '../units/unit-end.js';
import { deadlineAt } from './deadline-at.js';

interface Prepared {
  readonly prompt?: string;
  readonly skip?: boolean;
  readonly problem?: Problem;
}

interface Choice {
  readonly option: GateOption;
  readonly additional: Readonly<Record<string, JsonValue>>;
}

/** Asks a person to choose; the run pauses when nothing else is left to do. */
export async function gateStep(step: HumanGateStep, given: StepContext): Promise<RunEnd<Ending>> {
  const { context } = given;
  const { prompt = '', skip, problem } = await context.record('prompt', () => prepare(step, given));
  if (problem !== undefined) return failUnit(problem);
  const [first] = step.options;
  const choice =
    skip === true && first !== undefined ? { option: first, additional: {} } : await ask(step, prompt, context);
  const { option, additional } = choice;
  const output = { selected: option.value, additional_input: additional };
  return unitDone(step.name, { output: writeJsonText(valueFromJson(output)), to: option.route });
}

function prepare(step: HumanGateStep, given: StepContext): Prepared {
  const prompt = attempt(() => renderFileText(renderingOf(step, given), step.prompt, step.prompt_file));
  if ('problem' in prompt) return { problem: prompt.problem };
  return { prompt: prompt.value.replace(/\n{3,}/g, '\n\n'), ...(given.state.skipGates && { skip: true }) };
}

/** Asks until the answer is one of the options. */
async function ask(step: HumanGateStep, prompt: string, context: RunContext): Promise<Choice> {
  const options = step.options.map(({ value, label }) => ({ value, label }));
  const deadline = deadlineAt(step.deadline, context.now());
  const more = askedBeside(step);
  for (let turn = 1; ; turn += 1) {
    const again = turn === 1 ? '' : `\nPlease choose one of ${step.options.map(({ value }) => value).join(', ')}.`;
    const answer = await context.wait({
      id: makeQuestionId(context.scope, turn === 1 ? {} : { turn }),
      type: 'gate',
      summary: `${prompt}${again}`,
      options,
      input: { additional_input: more },
      ...(deadline !== undefined && { deadline }),
      ...(step.answerers !== undefined && { answerers: step.answerers }),
    });
    const choice = choiceOf(step, answer);
    if (choice !== undefined) return choice;
  }
}

/** The further texts that some choices ask for, by their values: for whoever shows the gate, and for checking answers. */
function askedBeside({ options }: HumanGateStep): JsonObject {
  return Object.fromEntries(
    options.flatMap(({ value, prompt_for: name, multiline }) =>
      name === undefined ? [] : [[value, { name, multiline }] as const],
    ),
  );
}

/** An answer is the value or the label of an option, or an object with `selected` and `additional_input`. */
function choiceOf({ options }: HumanGateStep, { value }: ReceivedAnswer): Choice | undefined {
  const selected = isObject(value) ? value['selected'] : value;
  const option = options.find((each) => each.value === selected) ?? options.find(({ label }) => label === selected);
  if (option === undefined) return undefined;
  const additional = isObject(value) && isObject(value['additional_input']) ? value['additional_input'] : {};
  return { option, additional: additional as Readonly<Record<string, JsonValue>> };
}
