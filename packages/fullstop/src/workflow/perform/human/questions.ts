import type { RunContext, RunEnd } from '../../../run/run-context.js';
import { valueFromJson, writeJsonText } from '../../../template/json-text.js';
import type { Ending } from '../../../termination/ending.js';
import type { JsonValue } from '../../../termination/json.js';
import { makeQuestionId } from '../../graph/workflow-key.js';
import { attempt, type Problem } from '../../machine/step-problem.js';
import type { QuestionsStep } from '../../schema/steps/questions.js';
import type { StepContext } from '../runtime.js';
import { failUnit, unitDone } from '../units/unit-end.js';
import { deadlineAt } from './deadline-at.js';
import { type AskedQuestion, listQuestions } from './list-questions.js';
import { passedBy, reserved } from './reserved-words.js';

interface Prepared {
  readonly prompt?: string;
  readonly questions?: readonly AskedQuestion[];
  readonly skip?: boolean;
  readonly problem?: Problem;
}

/** The reply to one question. */
interface Reply {
  readonly answer: string | null;
  readonly source: 'choice' | 'free_text' | 'default' | 'skipped';
}

type Outcome = 'completed' | 'skipped_remaining' | 'aborted';

/** Asks a person one question after the other. */
export async function questionsStep(step: QuestionsStep, given: StepContext): Promise<RunEnd<Ending>> {
  const { context } = given;
  const prepared: Prepared = await context.record('questions', () => {
    const listed = attempt(() => listQuestions(step, given));
    if ('problem' in listed) return { problem: listed.problem };
    return { ...listed.value, ...(given.state.skipGates && { skip: true }) };
  });
  const { questions = [], skip, problem } = prepared;
  if (problem !== undefined) return failUnit(problem);
  const deadline = deadlineAt(step.deadline, context.now());
  const asked =
    skip === true
      ? { replies: questions.map(skipped), outcome: questions.length === 0 ? 'completed' : 'skipped_remaining' }
      : await ask(step, { questions, prompt: prepared.prompt ?? '', context, deadline });
  const { replies, outcome } = asked as Asked;
  const to = outcome === 'aborted' ? (step.abort_route ?? '$end') : undefined;
  return unitDone(step.name, { output: outputText(questions, replies, outcome), ...(to !== undefined && { to }) });
}

interface Asked {
  readonly replies: readonly Reply[];
  readonly outcome: Outcome;
}

interface Asking {
  readonly questions: readonly AskedQuestion[];
  readonly prompt: string;
  readonly context: RunContext;
  readonly deadline: number | undefined;
}

/** Skipping takes the default where there is one. */
function skipped({ default: usual }: AskedQuestion): Reply {
  return usual === undefined ? { answer: null, source: 'skipped' } : { answer: usual, source: 'default' };
}

async function ask(step: QuestionsStep, asking: Asking): Promise<Asked> {
  const { questions } = asking;
  const talk: Talk = { replies: [], again: '', skipsRest: false };
  const { replies } = talk;
  for (let turn = 0; replies.length < questions.length; turn += 1) {
    const question = questions[replies.length] as AskedQuestion;
    if (talk.skipsRest && !isRequired(question)) replies.push(skipped(question));
    else {
      const word = await hear(step, asking, { question, cursor: replies.length, turn, again: talk.again });
      if (word === passedBy) return passRest(questions, replies);
      if (word === reserved.abort && step.allow_abort === true) return { replies, outcome: 'aborted' };
      takeWord(step, talk, { question, word });
    }
  }
  return { replies, outcome: talk.skipsRest ? 'skipped_remaining' : 'completed' };
}

/** The rest is what skipped gates make of it; answers that were given stand. */
function passRest(questions: readonly AskedQuestion[], replies: readonly Reply[]): Asked {
  return { replies: [...replies, ...questions.slice(replies.length).map(skipped)], outcome: 'skipped_remaining' };
}

interface Talk {
  readonly replies: Reply[];
  /** Why the next question is asked again, if it is. */
  again: string;
  /** Whether only questions that need an answer are still asked. */
  skipsRest: boolean;
}

interface Heard {
  readonly question: AskedQuestion;
  readonly word: string;
}

function takeWord(step: QuestionsStep, talk: Talk, { question, word }: Heard): void {
  talk.again = '';
  if (word === reserved.skipAll && step.allow_skip_all !== false) {
    talk.skipsRest = true;
    if (isRequired(question)) talk.again = needsAnswer;
  } else if (word === reserved.back && step.allow_back !== false) {
    talk.replies.pop();
    talk.skipsRest = false;
  } else {
    const given = replyTo(step, question, word);
    if (given === undefined) talk.again = whyAgain(question, word);
    else talk.replies.push(given);
  }
}

interface Turn {
  readonly question: AskedQuestion;
  readonly cursor: number;
  /** Counts all questions asked, so that one that is asked again has another id. */
  readonly turn: number;
  /** Why it is asked again, if it is. */
  readonly again: string;
}

/** Asks one question and waits for the reply. */
async function hear(step: QuestionsStep, asking: Asking, { question, cursor, turn, again }: Turn): Promise<string> {
  const { questions, prompt, context, deadline } = asking;
  const texts = [again, cursor === 0 ? prompt : '', question.text, question.hint ?? ''];
  const { value, decision } = await context.wait({
    id: makeQuestionId(context.scope, { subject: question.id, turn: turn > cursor ? turn : undefined }),
    type: 'input',
    summary: texts.filter((text) => text !== '').join('\n\n'),
    options: optionsOf(step, questions, cursor),
    // Words that say to skip or go back are among the options too; whether an answer fits is checked after it.
    otherAnswers: true,
    input: {
      question: question.id,
      index: cursor + 1,
      of: questions.length,
      ...(question.allowFreeText && question.multiline && { multiline: true }),
    },
    ...(deadline !== undefined && { deadline }),
    ...(step.answerers !== undefined && { answerers: step.answerers }),
  });
  return decision === 'deny' ? reserved.skip : answerText(value);
}

function optionsOf(
  step: QuestionsStep,
  questions: readonly AskedQuestion[],
  cursor: number,
): { value: string; label?: string }[] {
  const question = questions[cursor] as AskedQuestion;
  const skipsAll = step.allow_skip_all !== false && !questions.slice(cursor).every(isRequired);
  return [
    ...(question.choices ?? []).map((value) => ({ value })),
    ...(step.allow_back !== false && cursor > 0 ? [{ value: reserved.back, label: 'Back' }] : []),
    ...(mustAnswer(step, question) ? [] : [{ value: reserved.skip, label: 'Skip' }]),
    ...(skipsAll ? [{ value: reserved.skipAll, label: 'Skip all' }] : []),
    ...(step.allow_abort === true ? [{ value: reserved.abort, label: 'Abort' }] : []),
  ];
}

function answerText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function mustAnswer(step: QuestionsStep, question: AskedQuestion): boolean {
  return isRequired(question) || step.allow_skip === false;
}

/** One that is asked even where the rest is skipped. */
function isRequired({ required, default: usual }: AskedQuestion): boolean {
  return required && usual === undefined;
}

const needsAnswer = 'This question needs an answer.';

/** Why a question is asked again. */
function whyAgain(question: AskedQuestion, word: string): string {
  if (word === reserved.skip || word.trim() === '') return needsAnswer;
  return `Please choose one of ${(question.choices ?? []).join(', ')}; ${JSON.stringify(word)} is none of them.`;
}

/** The reply in a word; none when the question has to be asked again. */
function replyTo(step: QuestionsStep, question: AskedQuestion, word: string): Reply | undefined {
  const isSkip = word === reserved.skip || word.trim() === '';
  if (isSkip) return mustAnswer(step, question) ? undefined : skipped(question);
  if (question.choices?.includes(word) === true) return { answer: word, source: 'choice' };
  return question.allowFreeText ? { answer: word, source: 'free_text' } : undefined;
}

function outputText(questions: readonly AskedQuestion[], replies: readonly Reply[], outcome: Outcome): string {
  const items = replies.map(({ answer, source }, index) => {
    const { id, text } = questions[index] as AskedQuestion;
    return { id, question: text, answer, source, skipped: source === 'skipped' };
  });
  const answered = items.filter(({ skipped: isSkipped }) => !isSkipped);
  const lines = items.flatMap(({ question, answer, skipped: isSkipped }, index) =>
    isSkipped ? [] : [`Q${index + 1}. ${question}\nA: ${answer}`],
  );
  return writeJsonText(
    valueFromJson({
      answers: Object.fromEntries(answered.map(({ id, answer }) => [id, answer])),
      items,
      transcript: lines.join('\n\n'),
      answered_count: answered.length,
      skipped_count: items.length - answered.length,
      answered_any: answered.length > 0,
      outcome,
    }),
  );
}
