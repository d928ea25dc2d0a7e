import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { type AgentHooks, defineAgent, runAgent } from '../../../packages/fullstop/src/index.js';
import { done, oneCall, type PortingRow, type PortingTable, type Scene } from '../porting-row.js';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const add = tool({ description: 'Adds', inputSchema, execute: ({ a, b }) => a + b });

/** A callback there and a hook here that are called equally often. */
function counted(
  names: Pick<PortingRow, 'six' | 'seven'>,
  hook: keyof AgentHooks,
  agree: number,
  note?: string,
): PortingRow {
  const callback = names.six[0] as string;
  return {
    ...names,
    ours: `hooks.${hook}`,
    ...(note !== undefined && { note }),
    proof: {
      answers: oneCall,
      theirs: async ({ model }) => {
        let count = 0;
        const given = {
          [callback]: () => {
            count += 1;
          },
        };
        await generateText({ model, prompt: 'go', tools: { add }, stopWhen: stepCountIs(5), ...given });
        return count;
      },
      ours: async ({ model }) => {
        let count = 0;
        const hooks = {
          [hook]: () => {
            count += 1;
          },
        };
        await runAgent({ model, prompt: 'go', tools: { add }, hooks });
        return count;
      },
      agree,
    },
  };
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _part of stream) {
    // Only the callbacks matter.
  }
}

const theirText = async ({ model }: Scene): Promise<string> => {
  let text = '';
  const stream = streamText({
    model,
    prompt: 'go',
    onChunk: ({ chunk }) => {
      if (chunk.type === 'text-delta') text += chunk.text;
    },
  });
  await stream.consumeStream();
  return text;
};

/** The callbacks while it runs. */
export const callbacksRows: PortingTable = {
  title: 'Callbacks',
  rows: [
    counted(
      { six: ['experimental_onStart'], seven: ['onStart', 'experimental_onStart'] },
      'onPrompt',
      1,
      'Hooks may also change what happens: `inject`, `transform`, `block`, `halt`, `finish`. Their verdicts are journalled and never asked for again.',
    ),
    counted(
      {
        six: ['experimental_onStepStart'],
        seven: [
          'onStepStart',
          'onLanguageModelCallStart',
          'experimental_onStepStart',
          'experimental_onLanguageModelCallStart',
        ],
      },
      'beforeModel',
      2,
    ),
    counted(
      {
        six: ['onStepFinish'],
        seven: ['onStepEnd', 'onLanguageModelCallEnd', 'onStepFinish', 'experimental_onLanguageModelCallEnd'],
      },
      'afterIteration',
      2,
      '`afterModel` is called between the answer and its tools.',
    ),
    counted(
      { six: ['experimental_onToolCallStart'], seven: ['onToolExecutionStart', 'experimental_onToolCallStart'] },
      'beforeTool',
      1,
    ),
    counted(
      { six: ['experimental_onToolCallFinish'], seven: ['onToolExecutionEnd', 'experimental_onToolCallFinish'] },
      'afterTool',
      1,
    ),
    counted(
      { six: ['onFinish'], seven: ['onEnd', 'onFinish'] },
      'onEnd',
      1,
      'Called on failures too. For other systems: `onEnding` with the outbox, which is told of every ending and survives a crash.',
    ),
    {
      six: ['onError'],
      seven: ['onError', 'onStepError'],
      ours: 'hooks.onEnd',
      note: 'An error is an ending like any other; attempts that failed before it are in the journal (`step_attempted`).',
      proof: {
        answers: [{ error: 'auth' }],
        theirs: async ({ model }) => {
          let status: unknown;
          const onError = ({ error }: { error: unknown }) => {
            status = (error as { statusCode?: number }).statusCode;
          };
          await drain(streamText({ model, prompt: 'go', onError }).fullStream);
          return status;
        },
        ours: async ({ model }) => {
          let status: unknown;
          const onEnd: AgentHooks['onEnd'] = ({ termination }) => {
            status = (termination as { status?: number }).status;
          };
          await defineAgent({ model, hooks: { onEnd } }).stream('go').result;
          return status;
        },
        agree: 401,
      },
    },
    {
      six: ['onAbort'],
      ours: 'result.termination',
      note: 'The run ends as `cancelled`, with who cancelled and why, and can be resumed. No hook is called after a cancellation; `onEnding` is told of it.',
      proof: {
        answers: [{ text: 'late', delay: '1h' }],
        theirs: async ({ model }) => {
          let heard = false;
          const onAbort = () => {
            heard = true;
          };
          const abortSignal = AbortSignal.abort('enough');
          await drain(streamText({ model, prompt: 'go', abortSignal, onAbort }).fullStream);
          return heard;
        },
        ours: async ({ model }) => {
          const controller = new AbortController();
          const hooks: AgentHooks = {
            beforeModel: () => {
              controller.abort('enough');
              return undefined;
            },
          };
          const { termination } = await defineAgent({ model, hooks }).run('go', { signal: controller.signal });
          return termination.kind === 'cancelled' && termination.reason === 'enough';
        },
        agree: true,
      },
    },
    {
      six: ['onChunk'],
      ours: 'onDelta',
      note: 'What a failed attempt said is taken back with `attempt_discarded`.',
      proof: {
        answers: done,
        theirs: theirText,
        ours: async ({ model }) => {
          let text = '';
          await runAgent({
            model,
            prompt: 'go',
            onDelta: (delta) => {
              if (delta.type === 'text') text += delta.text;
            },
          });
          return text;
        },
        agree: 'done',
      },
    },
    {
      six: ['tool: onInputStart', 'tool: onInputDelta', 'tool: onInputAvailable'],
      ours: 'onDelta',
      note: 'Inputs of tools arrive among the deltas, for all tools in one place.',
    },
  ],
};
