import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { defineAgent } from '../agent/define-agent.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import { simulatedClock } from '../testing/simulated-clock.js';

const usage = { inputTokens: 10, outputTokens: 5 };

/** A pipeline with an agent that searches once, on an engine whose clock jumps. */
export function searching(
  answers = [
    { toolCalls: [{ tool: 'search', input: {}, id: 'c1' }], usage, delay: '2s' },
    { text: 'found', usage, delay: '1s' },
  ],
  clock = simulatedClock(),
) {
  const agent = defineAgent({
    name: 'searcher',
    model: scriptedModel(answers as never, { clock }),
    tools: { search: { inputSchema: { type: 'object' }, execute: () => 'hit' } },
  });
  const flow = pipeline('flow')
    .stage('first', () => 1)
    .phase('work', (phase) =>
      phase.stage(
        'find',
        using(agent, () => 'go'),
      ),
    );
  return { agent, flow, engine: memoryEngine({ clock }) };
}

/** The first span of a name. */
export const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name}`);
  return found;
};
