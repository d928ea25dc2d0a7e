import type { Envelope } from '../../engines/port/envelope.js';
import { subtractUsd } from '../../engines/port/money.js';
import type { Outcome } from '../../termination/ending.js';
import type { StepUsage } from '../journal/model-step.js';
import { pipelineOf, type UnitTrack } from '../journal/units.js';
import type { RunType } from '../options.js';
import type { Instruments } from './instruments.js';
import type { NamedEnding, Words } from './words.js';

interface EndedStage extends NamedEnding {
  readonly stage: UnitTrack;
  readonly outcome: Outcome;
  readonly durationMs: number;
}

/** The usage before this segment, so that all of it is counted once. */
export interface UsedBefore {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** The numbers of one run. */
export class RunMetrics {
  readonly #instruments: Instruments;
  readonly #words: Words;
  readonly #name: string;

  constructor(instruments: Instruments, words: Words, name: string) {
    this.#instruments = instruments;
    this.#words = words;
    this.#name = name;
  }

  started(runtime: RunType): void {
    const { runStarted } = this.#instruments;
    runStarted.add(1, { runtime, name: this.#name });
  }

  active(runtime: RunType, change: 1 | -1): void {
    const { runActive } = this.#instruments;
    runActive.add(change, { runtime, name: this.#name });
  }

  ended(runtime: RunType, envelope: Envelope, before: UsedBefore): void {
    const { runEnded, runDuration, runTokens, runCost } = this.#instruments;
    const { outcome, category, tag, usage, costUsd, durationMs } = envelope;
    const values = { runtime, name: this.#name, outcome, category, termination: tag };
    runEnded.add(1, values);
    runDuration.record(durationMs / 1000, values);
    const [input, output] = [usage.inputTokens - before.inputTokens, usage.outputTokens - before.outputTokens];
    if (input > 0) runTokens.add(input, { ...values, token_type: 'input' });
    if (output > 0) runTokens.add(output, { ...values, token_type: 'output' });
    const cost = subtractUsd(costUsd ?? before.costUsd, before.costUsd);
    if (cost > 0) runCost.add(cost, values);
  }

  waited(runtime: RunType, milliseconds: number): void {
    const { gateWait } = this.#instruments;
    gateWait.record(milliseconds / 1000, { runtime, name: this.#name });
  }

  gateOpened(runtime: RunType): void {
    const { gateOpened } = this.#instruments;
    gateOpened.add(1, { runtime, name: this.#name });
  }

  gatesClosed(runtime: RunType, result: 'answered' | 'expired' | 'dropped', count: number): void {
    const { gateClosed } = this.#instruments;
    if (count > 0) gateClosed.add(count, { runtime, name: this.#name, result });
  }

  pipelineStarted(pipeline: string): void {
    const { pipelineStarted } = this.#instruments;
    pipelineStarted.add(1, { pipeline_name: pipeline });
  }

  pipelineEnded(pipeline: string, outcome: Outcome, durationMs: number): void {
    const { pipelineCompleted, pipelineDuration } = this.#instruments;
    const values = { pipeline_name: pipeline, outcome: this.#words.outcome(outcome) };
    pipelineCompleted.add(1, values);
    pipelineDuration.record(durationMs / 1000, values);
  }

  stageEnded(ended: EndedStage): void {
    const { stage, outcome, durationMs } = ended;
    const { stageCompleted, stageDuration } = this.#instruments;
    const values = {
      pipeline_name: pipelineOf(stage),
      stage_name: stage.name,
      outcome: this.#words.outcome(outcome),
      phase_name: stage.parent?.phase ?? '(none)',
      termination_cause: this.#words.cause(ended),
    };
    stageCompleted.add(1, values);
    if (outcome !== 'skipped') stageDuration.record(durationMs / 1000, values);
  }

  stageTokens(stage: UnitTrack, { input, output, cachedInput, reasoning }: StepUsage): void {
    this.#addTokens(stage, 'input', input);
    this.#addTokens(stage, 'output', output);
    this.#addTokens(stage, 'cached_input', cachedInput);
    this.#addTokens(stage, 'reasoning', reasoning);
  }

  #addTokens(stage: UnitTrack, kind: string, tokens: number): void {
    if (tokens === 0) return;
    const { stageTokens } = this.#instruments;
    stageTokens.add(tokens, { pipeline_name: pipelineOf(stage), stage_name: stage.name, token_kind: kind });
  }

  toolFailed(stage: UnitTrack, tool: string): void {
    const { stageToolFailed } = this.#instruments;
    stageToolFailed.add(1, { pipeline_name: pipelineOf(stage), stage_name: stage.name, tool_name: tool });
  }
}
