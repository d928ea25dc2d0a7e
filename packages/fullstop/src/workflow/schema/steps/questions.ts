import { checkDottedSource } from '../rule-checks.js';
import { refuse } from '../rule-spot.js';
import { checkDeadline } from './check-deadline.js';
import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name'],
  optional: [
    'description',
    'routes',
    'on_error',
    'prompt',
    'questions',
    'source',
    'allow_back',
    'allow_skip',
    'allow_skip_all',
    'allow_abort',
    'abort_route',
    'deadline',
    'answerers',
  ],
  ignored: [
    'input',
    'system_prompt',
    'command',
    'args',
    'env',
    'timeout',
    'workflow',
    'max_session_seconds',
    'max_agent_iterations',
    'retry',
  ],
} as const;

const fields = {
  questions: { type: 'list', of: { type: 'record', of: 'Question' }, description: 'The questions to ask.' },
  source: { type: 'string', description: 'Where the list of questions comes from, such as planner.output.questions.' },
  allow_back: { type: 'boolean', description: 'Whether earlier questions can be answered again.' },
  allow_skip: { type: 'boolean', description: 'Whether a question can be skipped.' },
  allow_skip_all: { type: 'boolean', description: 'Whether all other questions can be skipped at once.' },
  allow_abort: { type: 'boolean', description: 'Whether the questions can be given up.' },
  abort_route: { type: 'string', description: 'Where to go when the questions are given up; needs allow_abort.' },
} as const;

/** Questions to a person, listed (`questions`) or found in the context (`source`). */
export interface QuestionsStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'questions';
  readonly prompt_file?: string;
}

export const questionsShape: StepShape<QuestionsStep> = {
  type: 'questions',
  description: 'Questions to a person, one after the other.',
  keys,
  fields,
  whenEmpty: { refused: ['options'], accepted: ['output'] },
  sees: 'everything',
  endsWorkflow: false,
  check(spot) {
    const { questions = [], source, abort_route, allow_abort } = spot.value;
    const hasSource = source !== undefined && source !== '';
    if (questions.length === 0 && !hasSource)
      refuse(spot, 'questions', "questions agents require either 'questions' or 'source'");
    if (questions.length > 0 && hasSource)
      refuse(spot, 'source', "questions agents cannot set both 'questions' and 'source'");
    if (abort_route !== undefined && allow_abort !== true) {
      refuse(spot, 'abort_route', "questions agents cannot set 'abort_route' without 'allow_abort: true'");
    }
    if (source !== undefined) checkDottedSource(spot, source);
    checkDeadline(spot);
  },
};
