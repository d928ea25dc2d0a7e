import { entryOf } from '../source/yaml-node.js';
import type { Step } from './document.js';
import { durationSeconds } from './duration-seconds.js';
import { hasTemplateMarks, readBoolean } from './read-scalar.js';
import { checkDottedSource, checkPlugins, checkSkills, type RuleSpot, refuse } from './record-rules.js';

const longestWait = 86_400;

type StepOf<T extends Step['type']> = Extract<Step, { readonly type: T }>;

type StepRules = { readonly [T in Step['type']]?: (spot: RuleSpot<StepOf<T>>) => void };

const rules: StepRules = {
  agent: (spot) => {
    const { output_mode, output, session_key, skills, plugins } = spot.value;
    if (output_mode === 'raw' && output !== undefined && output.size > 0) {
      refuse(spot, 'output_mode', "output_mode 'raw' cannot be combined with an output schema");
    }
    if (session_key !== undefined && (session_key.trim() === '' || hasTemplateMarks(session_key))) {
      refuse(spot, 'session_key', 'session_key must be a text without template marks');
    }
    if (skills !== undefined) checkSkills(spot, skills);
    if (plugins !== undefined) checkPlugins(spot, plugins);
  },
  human_gate: (spot) => checkDeadline(spot),
  pipeline: (spot) => checkUse(spot),
  convergence: (spot) => checkUse(spot),
  questions: (spot) => {
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
  set: (spot) => {
    const { value, values, output_type } = spot.value;
    if ((value === undefined) === (values === undefined)) {
      refuse(spot, 'values', "set agents require exactly one of 'value' or 'values'");
    }
    if (values !== undefined && output_type !== undefined) {
      refuse(spot, 'output_type', "set agents with 'values' cannot have 'output_type'");
    }
  },
  wait: (spot) => {
    const seconds = literalSeconds(spot.value.duration);
    if (seconds === undefined) return;
    if (!(seconds > 0)) refuse(spot, 'duration', `The wait duration must be > 0 seconds, got ${seconds}`);
    if (seconds > longestWait)
      refuse(spot, 'duration', `The wait duration of ${seconds}s is longer than 24h (${longestWait}s)`);
  },
};

/** Checks a step whose fields are right one by one. */
export function checkStep(spot: RuleSpot<Step>): void {
  const rule = rules[spot.value.type] as ((spot: RuleSpot<Step>) => void) | undefined;
  rule?.(spot);
  checkRootOutput(spot);
}

/** The fields of an output itself are always there; only members of objects may be left out. */
function checkRootOutput(spot: RuleSpot<Step>): void {
  const output = entryOf(spot.node, 'output')?.value;
  for (const { key, value } of output?.kind === 'map' ? output.entries : []) {
    const required = value.kind === 'map' ? entryOf(value, 'required')?.value : undefined;
    if (required === undefined || readBoolean({ ...spot, node: required }) !== false) continue;
    refuse(spot, 'output', `The output field '${key}' cannot be optional (required: false)`);
  }
}

function checkDeadline(spot: RuleSpot<StepOf<'human_gate' | 'questions'>>): void {
  const { deadline } = spot.value;
  if (deadline === undefined) return;
  const seconds = durationSeconds(deadline);
  if (seconds === undefined || !(seconds > 0))
    refuse(spot, 'deadline', 'deadline must be a duration of more than 0 seconds');
}

function checkUse(spot: RuleSpot<StepOf<'pipeline' | 'convergence'>>): void {
  if (/^[^#]+#[^#]+$/.test(spot.value.use)) return;
  const entry = entryOf(spot.node, 'use');
  refuse(
    spot,
    entry === undefined ? 'type' : 'use',
    "'use' must name a module and an export, such as ./month-end.mjs#monthEnd",
  );
}

/** Undefined for a template, which is checked when it is rendered. */
function literalSeconds(duration: string | number): number | undefined {
  return typeof duration === 'string' && duration.includes('{{') ? undefined : durationSeconds(duration);
}
