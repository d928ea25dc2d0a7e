import type { AbortSignalLike } from '../../engines/port/engine.js';
import { createPrices } from '../../run/accounts/prices.js';
import { carriedOptions, partRunOptions } from '../../run/carried-options.js';
import { limitsOf } from '../../run/changes/changed-conditions.js';
import { decidedOn } from '../../run/changes/decided-on.js';
import { checkChanges, writeChanges } from '../../run/changes/resume-changes.js';
import { engineToResume } from '../../run/check-run-options.js';
import { defineRun, type RunDefinition, type RunResult } from '../../run/define-run.js';
import { placeOfStart, type RunPlace } from '../../run/defined-body.js';
import { driveLazily } from '../../run/load-runtime.js';

import type { ResumeOptions } from '../../run/run-options.js';
import type { StopCondition } from '../../stop/condition.js';
import { parseStopConditions, stopConditionsToJson } from '../../stop/condition-json.js';
import { checkConditions, listOf } from '../../stop/resume-conditions.js';
import type { Ending } from '../../termination/ending.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import { createRegistry } from '../../termination/registry.js';
import { anySignal } from './any-signal.js';
import type { ContinueOptions, Ended, EndingOptions, Streaming } from './ended.js';
import { foreignMachine } from './foreign-machine.js';
import { foreignPerformer } from './foreign-performer.js';
import type { ForeignOutcome, Framework } from './framework.js';
import { refuseForeignConditions } from './refuse-conditions.js';
import { refuseUnchangedForeign } from './refuse-unchanged.js';

/** One call to a framework, as an adapter describes it. */
export interface ForeignCallDefinition<TResult> {
  readonly framework: Framework<TResult>;
  /** The name of the run unless the caller gives one. */
  readonly name: string;
  /** The question, for the journal. */
  readonly input: JsonValue;
  /** The models that are asked, where they are known before the call. */
  readonly models: readonly string[];
  /** The caller's own signal, of which the run takes charge. */
  readonly signal?: AbortSignalLike | undefined;
  /** How long the framework may take to come to its end once it was told to stop, where that is longer than usual. */
  readonly graceMs?: number;
}

/** The value that the framework returned or threw in this process. */
interface Seen<TResult> {
  outcome?: ForeignOutcome<TResult>;
  onResult?: (result: TResult) => void;
}

type AnyEnding = EndingOptions<string>;

/** Runs a call of another framework as a run of ours. */
export function runForeign<TResult>(
  call: ForeignCallDefinition<TResult>,
  options: AnyEnding,
): Promise<Ended<Ending, TResult>> {
  return new ForeignRun(call, options).run();
}

/** The same for a call whose result is a stream: the result is there as soon as the framework has one. */
export function streamForeign<TResult>(
  call: ForeignCallDefinition<TResult>,
  options: AnyEnding,
): Promise<Streaming<Ending, TResult>> {
  return new ForeignRun(call, options).stream();
}

/** Continues a stored run of another framework with the same call. */
export function resumeForeignRun<TResult>(
  call: ForeignCallDefinition<TResult>,
  options: AnyEnding & ContinueOptions<string> & { readonly runId: string },
): Promise<Ended<Ending, TResult>> {
  const { runId, answers, without, deadlines, by, stopWhen, ...rest } = options;
  const changed = stopWhen === undefined ? {} : { stopWhen };
  const given = { answers, without, deadlines, by };
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { run, rest: own } = partRunOptions(rest);
  return new ForeignRun(call, { ...own, ...changed }).resume(runId, { ...run, ...named, ...changed });
}

/** The code of one call, and everything that its runs need. */
class ForeignRun<TResult> {
  readonly #call: ForeignCallDefinition<TResult>;
  readonly #options: AnyEnding;
  readonly #conditions: readonly StopCondition<string>[];
  readonly #custom = new Map<string, StopCondition<string>>();
  readonly #definition: RunDefinition<JsonValue, Ending, unknown>;
  #seen: Seen<TResult> = {};
  /** The caller's signals of the segment under way. */
  #signals: readonly AbortSignalLike[] = [];

  constructor(call: ForeignCallDefinition<TResult>, options: AnyEnding) {
    this.#call = call;
    this.#options = options;
    const { stopWhen = [], prices: own, allowUnknownPrices = false, terminations = [], graceMs } = options;
    this.#conditions = checkConditions(listOf(stopWhen));
    refuseForeignConditions(this.#conditions);
    this.#remember(this.#conditions);
    const prices = createPrices(own);
    const { costUsd: costBudget } = limitsOf(this.#conditions);
    for (const model of call.models) prices.requirePrice(model, { costBudget, allowUnknown: allowUnknownPrices });
    this.#definition = defineRun<JsonValue, { termination: Ending }, typeof terminations>({
      ...carriedOptions(options),
      name: options.name ?? call.name,
      ...(terminations.length > 0 && { terminations }),
      run: (context, input) => {
        const { framework } = this.#call;
        const registry = createRegistry(terminations);
        const performer = foreignPerformer<TResult>({
          framework,
          prices,
          registry,
          graceMs: graceMs ?? call.graceMs ?? usualGraceMs,
          signals: this.#signals,
          onOutcome: (outcome) => {
            this.#seen.outcome = outcome;
          },
          onResult: (result) => this.#seen.onResult?.(result),
        });
        const machine = this.#machine(input);
        return driveLazily({ machine, performer, context, input: { at: context.now() } });
      },
    }) as RunDefinition<JsonValue, Ending, unknown>;
  }

  run(): Promise<Ended<Ending, TResult>> {
    const { run } = partRunOptions(this.#options);
    const place = placeOfStart(run);
    const signal = this.#joinSignals(run.signal);
    return this.#watch(place, () => this.#definition.run(this.#input(), { ...run, ...place, ...signal }));
  }

  async stream(): Promise<Streaming<Ending, TResult>> {
    let ending: Promise<Ended<Ending, TResult>> | undefined;
    const handed = await new Promise<{ readonly result: TResult } | undefined>((resolve, reject) => {
      this.#seen.onResult = (result) => resolve({ result });
      ending = this.run();
      // A call that fails before it has a stream has an ending all the same.
      ending.then(() => resolve(undefined), reject);
    });
    if (handed !== undefined) return { result: handed.result, ending: ending as Promise<Ended<Ending, TResult>> };
    const ended = await (ending as Promise<Ended<Ending, TResult>>);
    return { result: ended.result as TResult, ending: Promise.resolve(ended) };
  }

  async resume(runId: string, options: ContinueOptions<string>): Promise<Ended<Ending, TResult>> {
    const engine = engineToResume(options as ResumeOptions, `The resume of ${this.#definition.name}`);
    const { stopWhen, without, ...rest } = options;
    const changes = {
      ...(stopWhen !== undefined && { stopWhen: checkConditions(listOf(stopWhen)) }),
      ...(without !== undefined && { without }),
    };
    checkChanges(changes);
    refuseForeignConditions(changes.stopWhen ?? []);
    this.#remember(changes.stopWhen ?? []);
    const written = writeChanges(changes, rest.by);
    const before = await engine.ending(runId);
    await refuseUnchangedForeign({
      before,
      engine,
      runId,
      changes: written,
      custom: [...this.#custom.values()],
      machineFor: (input) => this.#machine(input),
    });
    const signal = this.#joinSignals(rest.signal);
    // The budgets of a foreign run are its conditions; the run itself has no limits that could be in the way.
    const limits = { steps: null, timeMs: null, tokens: null, costUsd: null };
    const resumed = { ...rest, engine, changes: written, limits, ...signal };
    return this.#watch({ runId, engine }, () => this.#definition.resume(runId, decidedOn(before, resumed)));
  }

  /** One signal of those that the caller gave; the run knows no other. */
  #joinSignals(given: AbortSignalLike | undefined): { readonly signal?: AbortSignalLike } {
    this.#signals = [this.#call.signal, given].filter((signal) => signal !== undefined);
    const [one, other] = this.#signals;
    if (one === undefined) return {};
    return { signal: other === undefined ? one : anySignal(one, other) };
  }

  #machine(input: JsonValue): ReturnType<typeof foreignMachine> {
    const custom = (): readonly StopCondition<string>[] => [...this.#custom.values()];
    const stored = isObject(input) ? (input as JsonObject)['stopWhen'] : undefined;
    const conditions = Array.isArray(stored) ? parseStopConditions(stored, { custom: custom() }) : this.#conditions;
    return foreignMachine({ conditions, custom });
  }

  #input(): JsonValue {
    const { framework, input } = this.#call;
    return { framework: framework.name, stopWhen: stopConditionsToJson(this.#conditions) as JsonValue, call: input };
  }

  #remember(conditions: readonly StopCondition<string>[]): void {
    for (const condition of conditions)
      if (condition.evaluateAsync !== undefined) this.#custom.set(condition.name, condition);
  }

  async #watch({ engine }: RunPlace, work: () => Promise<RunResult<Ending, unknown>>): Promise<Ended<Ending, TResult>> {
    const seen: Seen<TResult> = this.#seen.outcome === undefined ? this.#seen : {};
    this.#seen = seen;
    const result = await work();
    const { outcome } = seen;
    return {
      termination: result.termination,
      result: outcome?.result,
      error: outcome?.thrown?.error,
      run: {
        ...(result as unknown as Ended<Ending, TResult>['run']),
        resume: (options = {}) => this.resume(result.runId, { ...options, engine }) as never,
      },
    };
  }
}

/** How long a framework may take to come to its end once it was told to stop. */
const usualGraceMs = 5_000;
