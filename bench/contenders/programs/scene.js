/** The model and the tool that every contender gets: the tool is asked for so many times, with another number each time, then the model answers. */

let executed = 0;
let gate;

/** The tool, and the work of every step. */
export async function execute({ n }) {
  executed += 1;
  if (gate !== undefined) await gate;
  return { next: n + 1 };
}

/** Until the returned function is called, whoever calls the tool waits in it. */
export function closeGate() {
  let open;
  gate = new Promise((resolve) => {
    open = () => {
      gate = undefined;
      resolve();
    };
  });
  return open;
}

/** For steps that are written in a document and call nothing: their number, as the result of the run says it. */
export function countSteps(count) {
  executed += count;
}

/** The number of times that the tool ran since the last question. */
export function takeExecuted() {
  const taken = executed;
  executed = 0;
  return taken;
}

/** What the model says: a call of the tool, or undefined when it is done. */
export function makeScript(calls) {
  let made = 0;
  return () => {
    if (made === calls) return undefined;
    made += 1;
    return {
      id: `call_${made}`,
      name: 'step',
      args: { n: made },
      input: 100 + (made % 7) * 40,
      output: 10 + (made % 5) * 30,
    };
  };
}

/** The script as a model of the AI SDK, of any version of its specification. */
export function makeModel(specificationVersion, calls) {
  const next = makeScript(calls);
  const say = () => {
    const call = next();
    const finish = call === undefined ? 'stop' : 'tool-calls';
    const { input = 100, output = 10 } = call ?? {};
    return {
      content: [
        call === undefined
          ? { type: 'text', text: 'done' }
          : { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.args) },
      ],
      finishReason: { unified: finish, raw: finish },
      usage: {
        inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: output, text: undefined, reasoning: undefined },
      },
      warnings: [],
    };
  };
  return {
    specificationVersion,
    provider: 'bench',
    modelId: 'counting',
    supportedUrls: {},
    doGenerate: async () => say(),
    doStream: async () => ({ stream: streamOf(say()) }),
  };
}

function streamOf({ content, finishReason, usage }) {
  const parts = content.flatMap((part) =>
    part.type === 'text'
      ? [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: part.text },
          { type: 'text-end', id: '1' },
        ]
      : [part],
  );
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] });
      for (const part of parts) controller.enqueue(part);
      controller.enqueue({ type: 'finish', finishReason, usage });
      controller.close();
    },
  });
}
