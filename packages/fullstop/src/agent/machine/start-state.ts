import type { ModelMessage } from '../../models/message.js';
import { emptyLog, logOf } from '../../run/log.js';
import { repairTranscript } from './repair-transcript.js';
import type { AgentState } from './state.js';

/** Where every agent begins. */
export function startState(messages: readonly ModelMessage[], at: number): AgentState {
  const repaired = repairTranscript(messages);
  return {
    phase: 'opening',
    resumed: 0,
    messages: logOf(repaired),
    iterations: emptyLog(),
    toolCalls: emptyLog(),
    children: emptyLog(),
    observations: emptyLog(),
    counts: { iterations: 0, rounds: 0, toolCalls: 0, modelCalls: 0, judgements: 0 },
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    costUsd: 0,
    time: { activeMs: 0, lastAt: at, iterationMs: 0, iterationTokens: 0 },
    text: '',
    finish: '',
    round: [],
    conditions: {},
    wrapUp: null,
    untold: [],
    promptTokens: 0,
    compactedAt: 0,
    repairs: 0,
    roundsOfIteration: 0,
    outputCap: null,
    starved: null,
    asked: {},
    violations: [],
    output: null,
    hasOutput: false,
    ending: null,
    also: [],
    endTold: false,
  };
}
