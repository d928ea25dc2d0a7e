import type { ModelMessage } from '../../models/message.js';
import { emptyLog, logOf } from '../../run/log.js';
import type { Phase } from './phases.js';
import { repairTranscript } from './repair-transcript.js';
import type { AgentState } from './state.js';

/** The input of a run, and when it started. */
export interface MachineInput {
  readonly messages: readonly ModelMessage[];
  readonly at: number;
  /** The size of the conversation in tokens, where one before it has told; 0 where nobody knows. */
  readonly promptTokens?: number;
}

/** The state that every run begins with. */
export function startState({ messages, at, promptTokens = 0 }: MachineInput, phase: Phase): AgentState {
  return {
    phase,
    resumed: 0,
    messages: logOf(repairTranscript(messages)),
    iterations: emptyLog(),
    toolCalls: emptyLog(),
    children: emptyLog(),
    observations: emptyLog(),
    counts: { iterations: 0, rounds: 0, toolCalls: 0, modelCalls: 0, judgements: 0 },
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    costUsd: 0,
    estimated: false,
    time: { activeMs: 0, lastAt: at, iterationMs: 0, iterationTokens: 0 },
    text: '',
    finish: '',
    rawFinish: '',
    status: null,
    silences: 0,
    round: [],
    conditions: {},
    wrapUp: null,
    unsaid: [],
    promptTokens,
    compactedAt: 0,
    repairs: 0,
    roundsOfIteration: 0,
    outputCap: null,
    starved: null,
    asked: {},
    violations: [],
    finished: null,
    output: null,
    hasOutput: false,
    withheld: false,
    limit: null,
    ending: null,
    also: [],
    takenOver: false,
    endNotified: false,
  };
}
