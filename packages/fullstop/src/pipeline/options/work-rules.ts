import { receiveChanges, receiverOf } from '../../run/changes/change-receiver.js';
import type { AnswerRules } from '../../run/changes/refuse-same-answer.js';
import { isWithin, parsePart, parseScope } from '../../run/journal/scope-path.js';
import type { StopCondition } from '../../stop/condition.js';

/** The rules that work was made with, as far as a resume must know them. */
export interface WorkRules {
  /** Its stop conditions, where it has any. */
  readonly stopWhen?: readonly StopCondition<string>[] | undefined;
  /** Its rules for answers, where it has any. */
  readonly answers?: AnswerRules | undefined;
  /** True where it counts steps of its own: `maxIterations` of a resume raises their limit. */
  readonly countsSteps?: boolean | undefined;
  /** The work in a unit that it opens, by the name of the unit. */
  readonly workIn?: ((unit: string) => WorkRules | undefined) | undefined;
}

/** The rules of the work at a path, and whether it is all that there is at the path: of what is inside, only the work itself knows. */
export interface PlacedRules {
  readonly rules: WorkRules;
  readonly isWhole: boolean;
}

/** Units that a stage and `using` open around their work. */
const around = /^(?:run|limited|attempt-\d+)$/;

/** The rules of the work at a path in a stage. */
export function workAt(path: string, stage: { readonly path: string; readonly executor: WorkRules }): PlacedRules {
  let rules = stage.executor;
  for (const part of parseScope(path.slice(stage.path.length + 1))) {
    const { name } = parsePart(part);
    const inside = rules.workIn?.(name);
    if (inside === undefined && !around.test(name)) return { rules, isWhole: false };
    rules = inside ?? rules;
  }
  return { rules, isWhole: isWithin(path, stage.path) };
}

/** The rules of a definition, for the work that executes it. */
export function rulesOf({ stopWhen, answers, countsSteps, workIn }: WorkRules): WorkRules {
  return {
    ...(stopWhen !== undefined && { stopWhen }),
    ...(answers !== undefined && { answers }),
    ...(countsSteps !== undefined && { countsSteps }),
    ...(workIn !== undefined && { workIn }),
  };
}

/** Lets work take the changes of a resume as its definition does. */
export function receiveAs<TWork extends object>(work: TWork, definition: object): TWork {
  const receiver = receiverOf(definition);
  if (receiver !== undefined) receiveChanges(work, receiver);
  return work;
}
