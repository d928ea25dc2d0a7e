import type { Engine } from '../engines/port/engine.js';
import { checkOptions, invalidOption, type OptionPlace, someName } from '../stop/check-option.js';
import { type Category, categories } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject } from '../termination/json.js';
import { mostCustomTags } from '../termination/tag-of.js';
import { type CarriedOptions, ofRuns } from './carried-options.js';
import type { DefineRunOptions, ResumeOptions, RunOptions } from './run-options.js';
import { isSecrets } from './secrets/secrets.js';

const ofDefinition: Readonly<Record<keyof DefineRunOptions<never, never, never>, true>> = {
  alwaysReplay: true,
  customTags: true,
  graceMs: true,
  limits: true,
  name: true,
  onEnding: true,
  run: true,
  secrets: true,
  terminations: true,
  treatAsSuccess: true,
  version: true,
};

const ofResume: Readonly<Record<keyof ResumeOptions, true>> = {
  ...ofRuns,
  answers: true,
  at: true,
  by: true,
  changes: true,
  deadlines: true,
  limits: true,
  onlyAfter: true,
};

export const startOptions: readonly string[] = Object.keys(ofRuns);
export const resumeOptions: readonly string[] = Object.keys(ofResume);

interface NamedBody extends CarriedOptions {
  readonly name: string;
  readonly run: unknown;
}

/** Refuses a definition that could never run. */
export function checkDefinition(options: NamedBody): void {
  if (!isObject(options))
    throw invalidOption(options, { builder: 'defineRun', option: '' }, 'an object with name and run');
  const { name, run } = options;
  someName(name, { builder: 'defineRun', option: 'name' });
  const builder = `The run ${JSON.stringify(name)}`;
  checkOptions<object>(options, builder, Object.keys(ofDefinition) as never[]);
  checkCarried(options, builder);
  if (typeof run !== 'function')
    throw invalidOption(run, { builder, option: 'run' }, 'a function (context, input) => …');
}

/** Refuses what definitions of every kind hand on to their run, where it cannot be meant. */
export function checkCarried(options: CarriedOptions, builder: string): void {
  const { version, graceMs, customTags, onEnding, secrets, treatAsSuccess } = options;
  if (version !== undefined) someName(version, { builder, option: 'version' });
  if (graceMs !== undefined) checkMilliseconds(graceMs, builder, 'graceMs');
  if (customTags !== undefined) checkTexts(customTags, { builder, option: 'customTags' }, mostCustomTags);
  if (onEnding !== undefined) checkTexts(onEnding, { builder, option: 'onEnding' });
  if (secrets !== undefined && !isSecrets(secrets))
    throw invalidOption(secrets, { builder, option: 'secrets' }, 'what createSecrets({ NAME: value }) gives');
  if (treatAsSuccess !== undefined && typeof treatAsSuccess !== 'function')
    throw invalidOption(treatAsSuccess, { builder, option: 'treatAsSuccess' }, 'a function');
}

function checkTexts(value: unknown, place: OptionPlace, most = Number.POSITIVE_INFINITY): void {
  if (!Array.isArray(value)) throw invalidOption(value, place, 'a list of texts');
  for (const [index, each] of value.entries()) someName(each, { ...place, option: `${place.option}[${index}]` });
  if (value.length > most)
    throw new FullstopError(
      'INVALID_OPTION',
      `${place.builder}: ${place.option} has ${value.length} texts; there may be ${most} of them at most.`,
    );
}

/** Refuses options of a start or a resume that mean nothing, while nothing has started. */
export function checkRunOptions(
  options: RunOptions & Pick<ResumeOptions, 'onlyAfter'>,
  builder: string,
  known: readonly string[],
): void {
  if (!isObject(options)) throw invalidOption(options, { builder, option: '' }, 'an object');
  checkOptions<object>(options, builder, known as readonly never[]);
  const { runId, signal, engine, onPause, onEntry, onlyAfter } = options;
  if (onlyAfter !== undefined) checkOnlyAfter(onlyAfter, { builder, option: 'onlyAfter' });
  if (runId !== undefined) someName(runId, { builder, option: 'runId' });
  if (engine !== undefined) checkEngine(engine, builder);
  if (signal !== undefined && typeof (signal as { addEventListener?: unknown } | null)?.addEventListener !== 'function')
    throw invalidOption(signal, { builder, option: 'signal' }, 'an AbortSignal');
  if (onPause !== undefined && onPause !== 'end' && onPause !== 'wait')
    throw invalidOption(onPause, { builder, option: 'onPause' }, "'end' or 'wait'");
  if (onEntry !== undefined && typeof onEntry !== 'function')
    throw invalidOption(onEntry, { builder, option: 'onEntry' }, 'a function');
}

/** A condition that names nothing would hold after any ending, which nobody means who gives one. */
function checkOnlyAfter(given: unknown, place: OptionPlace): void {
  const wanted = `{ segment } or { category }, with a number from 1 or one of ${categories.join(', ')}`;
  if (!isObject(given)) throw invalidOption(given, place, wanted);
  checkOptions<object>(given, `${place.builder}: onlyAfter`, ['segment', 'category'] as never[]);
  const { segment, category } = given as { readonly segment?: unknown; readonly category?: Category };
  if (segment === undefined && category === undefined) throw invalidOption(given, place, wanted);
  if (segment !== undefined && !(Number.isSafeInteger(segment) && Number(segment) > 0))
    throw invalidOption(segment, { ...place, option: 'onlyAfter.segment' }, 'a number from 1');
  if (category !== undefined && !categories.includes(category))
    throw invalidOption(category, { ...place, option: 'onlyAfter.category' }, `one of ${categories.join(', ')}`);
}

/** The engine that a resume needs: without the one that the run lives on there is nothing to resume. */
export function engineToResume(options: { readonly engine?: Engine } | undefined, builder: string): Engine {
  const engine = options?.engine;
  checkEngine(engine, builder);
  return engine;
}

function checkEngine(engine: unknown, builder: string): asserts engine is Engine {
  if (isObject(engine) && typeof engine['start'] === 'function') return;
  throw invalidOption(
    engine,
    { builder, option: 'engine' },
    'the engine that the run lives on, such as memoryEngine()',
  );
}

/** Refuses a time that no clock can count. */
export function checkMilliseconds(value: unknown, builder: string, option: string): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw invalidOption(value, { builder, option }, 'a number of milliseconds, 0 or more');
}
