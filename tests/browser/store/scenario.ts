import type { Engine } from 'fullstop/engine';
import { type ScriptAnswer, type ScriptedModel, type SimulatedClock, scriptedModel } from 'fullstop/testing';

/** The surroundings of a scenario: a store, a clock that no wall time moves, and random numbers that repeat. */
export interface Stage {
  readonly engine: Engine;
  readonly clock: SimulatedClock;
  readonly runId: string;
  /** Where the workflow files are. */
  readonly folder: string;
  /** A whole number from 0 up to, and not including, the bound. */
  readonly below: (bound: number) => number;
}

/** One way in which a program of the store's owner runs; how it ends comes of what happens in it. */
export interface Scenario {
  readonly name: string;
  /** How often it happens, beside the others. */
  readonly weight: number;
  readonly perform: (stage: Stage) => Promise<unknown>;
}

export function pick<Item>({ below }: Pick<Stage, 'below'>, items: readonly Item[]): Item {
  return items[below(items.length)] as Item;
}

/** Tokens of a call, so that costs differ from run to run. */
export function usageOf({ below }: Pick<Stage, 'below'>, size = 1): NonNullable<ScriptAnswer['usage']> {
  return { inputTokens: size * (600 + below(2400)), outputTokens: size * (60 + below(500)) };
}

/** A model that answers as scripted, taking its time. */
export function modelOf(stage: Stage, answers: readonly ScriptAnswer[], modelId = 'gpt-5-mini'): ScriptedModel {
  const paced = answers.map((answer) => ({
    usage: usageOf(stage),
    delay: `${900 + stage.below(5200)}ms`,
    ...answer,
  }));
  return { ...scriptedModel(paced, { clock: stage.clock, modelId, exhausted: 'repeat-last' }), provider: 'openai' };
}

/** The prices of the models of the store; one of them has no known price. */
export const prices = {
  'gpt-5-mini': { inputPerMillion: 2, outputPerMillion: 8 },
  'gpt-5': { inputPerMillion: 12, outputPerMillion: 60 },
} as const;
