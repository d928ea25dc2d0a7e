import type { Meter, MetricOptions } from '@opentelemetry/api';
import { createGenAiInstruments, type GenAiInstruments } from '../gen-ai/gen-ai-instruments.js';
import { type Counted, createMaker, type Distributed, type Maker, type Shape } from './instrument-maker.js';

type RunKey = 'runtime' | 'name';
type EndedKey = RunKey | 'outcome' | 'category' | 'termination';
type StageKey = 'pipeline_name' | 'stage_name' | 'outcome' | 'phase_name';
/** All instruments. Names, units and keys of `pipeline.*` are those that existing dashboards ask for. */
export interface Instruments {
  readonly pipelineStarted: Counted<'pipeline_name'>;
  readonly pipelineCompleted: Counted<'pipeline_name' | 'outcome'>;
  readonly pipelineDuration: Distributed<'pipeline_name' | 'outcome'>;
  readonly stageCompleted: Counted<StageKey | 'termination_cause'>;
  readonly stageDuration: Distributed<StageKey>;
  readonly stageTokens: Counted<'pipeline_name' | 'stage_name' | 'token_kind'>;
  readonly stageToolFailed: Counted<'pipeline_name' | 'stage_name' | 'tool_name'>;
  readonly runStarted: Counted<RunKey>;
  readonly runEnded: Counted<EndedKey>;
  readonly runDuration: Distributed<EndedKey>;
  readonly runActive: Counted<RunKey>;
  readonly runTokens: Counted<EndedKey | 'token_type'>;
  readonly runCost: Counted<EndedKey>;
  readonly gateWait: Distributed<RunKey>;
  readonly gateOpened: Counted<RunKey>;
  readonly gateClosed: Counted<RunKey | 'result'>;
  /** Absent unless asked for. */
  readonly genAi?: GenAiInstruments;
}

/** From 5 ms to an hour: runs last from milliseconds to hours. */
const secondsBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const seconds = (description: string): MetricOptions => ({
  unit: 's',
  description,
  advice: { explicitBucketBoundaries: secondsBuckets },
});
interface InstrumentOptions {
  readonly most: number;
  readonly genAi: boolean;
}

/** Creates all instruments on a meter. */
export function createInstruments(meter: Meter, { most, genAi }: InstrumentOptions): Instruments {
  const maker = createMaker(meter, most);
  return {
    ...pipelineInstruments(maker),
    ...stageInstruments(maker),
    ...runInstruments(maker),
    ...(genAi && { genAi: createGenAiInstruments(maker) }),
  };
}

type Group<TPrefix extends string> = Pick<Instruments, Extract<keyof Instruments, `${TPrefix}${string}`>>;

function pipelineInstruments(make: Maker): Group<'pipeline'> {
  const ended = { keys: ['pipeline_name', 'outcome'], names: ['pipeline_name'] } as const;
  const started = { keys: ['pipeline_name'], names: ['pipeline_name'] } as const;
  return {
    pipelineStarted: make.counter('pipeline.run.started', started, { description: 'Pipelines that were started' }),
    pipelineCompleted: make.counter('pipeline.run.completed', ended, { description: 'Pipelines by outcome' }),
    pipelineDuration: make.histogram('pipeline.run.duration', ended, seconds('How long pipelines take')),
  };
}

function stageInstruments(make: Maker): Group<'stage'> {
  const keys: readonly StageKey[] = ['pipeline_name', 'stage_name', 'outcome', 'phase_name'];
  const names = ['pipeline_name', 'phase_name', 'stage_name'] as const;
  const stage = ['pipeline_name', 'stage_name'] as const;
  return {
    stageCompleted: make.counter(
      'pipeline.stage.completed',
      { keys: [...keys, 'termination_cause'], names, cause: 'termination_cause' },
      { description: 'Stages by outcome and cause' },
    ),
    stageDuration: make.histogram('pipeline.stage.duration', { keys, names }, seconds('How long stages take')),
    stageTokens: make.counter(
      'pipeline.stage.tokens',
      { keys: [...stage, 'token_kind'], names: stage },
      { description: 'Tokens that stages used' },
    ),
    stageToolFailed: make.counter(
      'pipeline.stage.tool.failed',
      { keys: [...stage, 'tool_name'], names: [...stage, 'tool_name'] },
      { description: 'Failed tool calls' },
    ),
  };
}

function runInstruments(make: Maker): Group<'run' | 'gate'> {
  const run = { keys: ['runtime', 'name'], names: ['name'] } as const;
  const keys: readonly EndedKey[] = ['runtime', 'name', 'outcome', 'category', 'termination'];
  const ended: Shape<EndedKey> = { keys, names: ['name'], cause: 'termination' };
  return {
    runStarted: make.counter('fullstop.run.started', run, { unit: '{run}', description: 'Runs that were started' }),
    runEnded: make.counter('fullstop.run.ended', ended, { unit: '{run}', description: 'Endings by kind' }),
    runDuration: make.histogram('fullstop.run.duration', ended, seconds('Active time of runs up to their ending')),
    runActive: make.upDownCounter('fullstop.run.active', run, { unit: '{run}', description: 'Runs under way here' }),
    runTokens: make.counter(
      'fullstop.run.tokens',
      { ...ended, keys: [...keys, 'token_type'] },
      { unit: '{token}', description: 'Tokens that runs used' },
    ),
    runCost: make.counter('fullstop.run.cost', ended, {
      unit: 'USD',
      description: 'Cost of runs, where prices are known',
    }),
    gateWait: make.histogram('fullstop.gate.wait', run, seconds('How long answers of people take')),
    gateOpened: make.counter('fullstop.gate.opened', run, { unit: '{request}', description: 'Questions to people' }),
    gateClosed: make.counter(
      'fullstop.gate.closed',
      { keys: ['runtime', 'name', 'result'], names: ['name'] },
      { unit: '{request}', description: 'Questions that wait no longer' },
    ),
  };
}
