import type { Engine } from '../engines/port/engine.js';
import { checkOptions, invalidOption, someText } from '../stop/check-option.js';
import { isObject } from '../termination/json.js';
import { ofRuns } from './carried-options.js';
import type { DefineRunOptions, ResumeOptions, RunOptions } from './define-run.js';

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
};

export const startOptions: readonly string[] = Object.keys(ofRuns);
export const resumeOptions: readonly string[] = Object.keys(ofResume);

interface NamedBody {
  readonly name: string;
  readonly version?: string;
  readonly graceMs?: number;
  readonly run: unknown;
}

/** Refuses a definition that could never run. */
export function checkDefinition(options: NamedBody): void {
  if (!isObject(options))
    throw invalidOption(options, { builder: 'defineRun', option: '' }, 'an object with name and run');
  const { name, version, graceMs, run } = options;
  someText(name, { builder: 'defineRun', option: 'name' });
  const builder = `The run ${JSON.stringify(name)}`;
  checkOptions<object>(options, builder, Object.keys(ofDefinition) as never[]);
  if (version !== undefined) someText(version, { builder, option: 'version' });
  if (typeof run !== 'function')
    throw invalidOption(run, { builder, option: 'run' }, 'a function (context, input) => …');
  if (graceMs !== undefined) checkMilliseconds(graceMs, builder, 'graceMs');
}

/** Refuses options of a start or a resume that mean nothing, while nothing has started. */
export function checkRunOptions(options: RunOptions, builder: string, known: readonly string[]): void {
  if (!isObject(options)) throw invalidOption(options, { builder, option: '' }, 'an object');
  checkOptions<object>(options, builder, known as readonly never[]);
  const { runId, signal, engine, onPause, onEntry } = options;
  if (runId !== undefined) someText(runId, { builder, option: 'runId' });
  if (engine !== undefined) checkEngine(engine, builder);
  if (signal !== undefined && typeof (signal as { addEventListener?: unknown } | null)?.addEventListener !== 'function')
    throw invalidOption(signal, { builder, option: 'signal' }, 'an AbortSignal');
  if (onPause !== undefined && onPause !== 'end' && onPause !== 'wait')
    throw invalidOption(onPause, { builder, option: 'onPause' }, "'end' or 'wait'");
  if (onEntry !== undefined && typeof onEntry !== 'function')
    throw invalidOption(onEntry, { builder, option: 'onEntry' }, 'a function');
}

/** The engine that a resume needs: without the one that the run lives on there is nothing to go on with. */
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
