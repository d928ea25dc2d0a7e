import { objectOf, objectsOf } from '../events/described-workflow.js';
import { presentQuestion, resolveQuestion } from '../events/question-events.js';
import { type Edge, errorEdges, routeEdges } from '../graph/edge.js';
import { questionsStep } from '../perform/human/questions.js';
import { type QuestionsStep, questionsShape } from '../schema/steps/questions.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, usualMachine } from './usual-parts.js';

export const questionsType: StepTypeRow = stepTypeRow<QuestionsStep>({
  shape: questionsShape,
  graph: {
    edges: (step) => [
      ...routeEdges(step.name, step.routes),
      ...abortEdges(step),
      ...errorEdges(step.name, step.on_error),
    ],
    runsFile: () => undefined,
    hasOwnEnding: true,
  },
  analysis: {
    ...quietAnalysis,
    asks: () => ['answer'],
    waitsForPerson: ({ deadline }) => (deadline === undefined ? 'forever' : 'until a deadline'),
    targets: ({ abort_route: to }) => (to === undefined ? [] : [{ to, path: ['abort_route'] }]),
    refusedInGroup: 'questions step',
    draw: ({ name }) => ({ box: 'diamond', label: name }),
  },
  machine: { ...usualMachine, effect: 'unit' },
  performer: { effect: 'unit', perform: questionsStep },
  progress: { showsCompletion: false },
  events: {
    records: {
      questions(writer, entry, { unit, value }) {
        unit.began = value;
        const questions = objectsOf(value['questions']);
        writer.write(unit.workflow, entry, 'questions_presented', {
          agent_name: unit.step,
          total: questions.length,
          prompt: value['prompt'] ?? null,
          questions: questions.map(({ id = null, text = null, hint = null, choices = null }) => ({
            id,
            text,
            hint,
            choices,
          })),
        });
      },
    },
    asked: presentQuestion,
    answered: resolveQuestion,
    ended({ isDone, output }) {
      if (!isDone) return undefined;
      const { outcome = null, answered_count = null, skipped_count = null } = objectOf(output);
      return { type: 'questions_completed', data: { outcome, answered_count, skipped_count } };
    },
  },
});

function abortEdges({ name, allow_abort, abort_route: to = '$end' }: QuestionsStep): readonly Edge[] {
  return allow_abort === true ? [{ from: name, to, kind: 'abort', condition: 'aborted' }] : [];
}
