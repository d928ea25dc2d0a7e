import { found } from '../termination/check.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject } from '../termination/json.js';
import { suggestion } from '../termination/text/suggestion.js';
import type { RunType, TelemetryOptions } from './options.js';

/** All options there are; the type makes sure that none is forgotten. */
const known: Required<Record<keyof TelemetryOptions, true>> = {
  enabled: true,
  meterProvider: true,
  tracerProvider: true,
  dialect: true,
  runtimes: true,
  mostSeries: true,
  genAi: true,
};
const runtimeWords: readonly RunType[] = ['agent', 'convergence', 'pipeline', 'run', 'workflow'];

/** Refuses options that do not exist or cannot be meant. */
export function checkTelemetryOptions(options: TelemetryOptions): void {
  const names = Object.keys(known);
  if (!isObject(options as unknown)) throw makeOptionError('options', options, `an object with ${names.join(', ')}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new FullstopError(
      'INVALID_OPTION',
      `createTelemetry has no option ${JSON.stringify(unknown)}${suggestion(unknown, names)}; there are ${names.join(', ')}.`,
    );
  const { enabled, dialect, genAi, mostSeries, runtimes = {} } = options;
  // Any other value would be taken for a yes or a no that nobody meant.
  if (enabled !== undefined && typeof enabled !== 'boolean') throw makeOptionError('enabled', enabled, 'true or false');
  if (genAi !== undefined) checkWord('genAi', genAi, ['2026-10']);
  if (dialect !== undefined) checkWord('dialect', dialect, ['needlr']);
  if (!isObject(runtimes as unknown))
    throw makeOptionError('runtimes', runtimes, 'an object with a word for each name');
  for (const [name, runtime] of Object.entries(runtimes)) checkWord(`runtimes.${name}`, runtime, runtimeWords);
  if (mostSeries !== undefined && !(Number.isSafeInteger(mostSeries) && mostSeries > 0))
    throw new FullstopError(
      'INVALID_LIMIT',
      `createTelemetry: mostSeries is ${found(mostSeries)}; it must be a whole number above 0.`,
    );
  checkProvider(options, 'meterProvider', 'getMeter');
  checkProvider(options, 'tracerProvider', 'getTracer');
}

function checkProvider(options: TelemetryOptions, option: 'meterProvider' | 'tracerProvider', call: string): void {
  const provider: unknown = options[option];
  const isProvider = typeof (provider as Readonly<Record<string, unknown>> | null)?.[call] === 'function';
  if (provider !== undefined && !isProvider) throw makeOptionError(option, provider, `a provider with ${call}`);
}

/** Refuses to measure nothing: options that were never made telemetry of would be taken for telemetry that is off. */
export function checkInstrumented(engine: unknown, telemetry: unknown): void {
  if (!isObject(engine) || typeof engine['start'] !== 'function')
    throw wrongPart('instrument', 'engine', engine, 'an engine, such as memoryEngine()');
  checkTelemetry(telemetry, 'instrument');
}

/** Refuses to project what is no journal, or onto what is no telemetry. */
export function checkProjected(journal: unknown, telemetry: unknown): void {
  const entries = 'the entries of a run, as await result.journal() returns them';
  if (!Array.isArray(journal)) throw wrongPart('projectJournal', 'journal', journal, entries);
  checkTelemetry(telemetry, 'projectJournal');
}

function checkTelemetry(telemetry: unknown, of: string): void {
  if (!isObject(telemetry) || typeof telemetry['observe'] !== 'function')
    throw wrongPart(of, 'telemetry', telemetry, 'what createTelemetry(…) returns');
}

function checkWord(option: string, value: unknown, words: readonly string[]): void {
  if (words.includes(value as string)) return;
  const hint = typeof value === 'string' ? suggestion(value, words) : '';
  throw makeOptionError(option, value, `${words.map((word) => JSON.stringify(word)).join(' or ')}${hint}`);
}

function makeOptionError(option: string, value: unknown, expected: string): FullstopError {
  return wrongPart('createTelemetry', option, value, expected);
}

function wrongPart(of: string, part: string, value: unknown, expected: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `${of}: ${part} is ${found(value)}; it must be ${expected}.`);
}
