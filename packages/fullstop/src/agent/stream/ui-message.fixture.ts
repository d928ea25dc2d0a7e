import { isToolUIPart, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import type { Ending } from '../../termination/ending.js';
import type { AgentStream } from './agent-stream.js';
import { isDiscarded } from './ui-chunk.js';
import type { UIMessageStreamOptions } from './ui-stream-options.js';

export interface ReadMessage {
  readonly chunks: readonly UIMessageChunk[];
  readonly message: UIMessage;
  /** The error that broke the stream off, if one did. */
  readonly failure?: unknown;
}

export interface ReadOptions {
  readonly before?: UIMessage | undefined;
  readonly options?: UIMessageStreamOptions;
}

/** Reads a stream with the client of the AI SDK, after the message that it has. */
export async function readMessage(
  stream: AgentStream<Ending>,
  { before, options }: ReadOptions = {},
): Promise<ReadMessage> {
  const chunks: UIMessageChunk[] = [];
  let failure: unknown;
  const source = stream.toUIMessageStream<ReadableStream<UIMessageChunk>>(options).getReader();
  // The error of a run is the very last, and a stream that breaks off leaves what was there; any other error is a defect.
  const sound = new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      try {
        const { done, value } = await source.read();
        if (done) return controller.close();
        chunks.push(value);
        if (value.type === 'error') controller.close();
        else controller.enqueue(value);
      } catch (error) {
        failure = error;
        controller.close();
      }
    },
  });
  let message: UIMessage = structuredClone(before) ?? { id: '', role: 'assistant', parts: [] };
  const begun = before === undefined ? {} : { message };
  for await (const next of readUIMessageStream({ stream: sound, terminateOnError: true, ...begun })) message = next;
  return { chunks, message, ...(failure !== undefined && { failure }) };
}

type Part = UIMessage['parts'][number];

/** A message as it is shown: without discarded attempts, and however finely its words came. */
export function shown({ parts, metadata }: UIMessage): unknown {
  const kept: unknown[] = [];
  let said: { type: string; text: string } | undefined;
  for (const part of parts.filter((each) => !isDiscarded(each))) {
    if (part.type === 'text' || part.type === 'reasoning') {
      if (said?.type !== part.type) {
        said = { type: part.type, text: '' };
        kept.push(said);
      }
      said.text += part.text;
      continue;
    }
    said = undefined;
    // A step of which nothing was kept shows nothing.
    if (part.type === 'step-start' && kept.at(-1) === 'step') continue;
    kept.push(shownPart(part));
  }
  return { parts: kept.filter((part, index) => part !== 'step' || isOpened(kept[index + 1])), metadata };
}

function isOpened(next: unknown): boolean {
  return next !== undefined && next !== 'step' && (next as { type?: string }).type !== 'data-ending';
}

function shownPart(part: Part): unknown {
  if (part.type === 'step-start') return 'step';
  if (!isToolUIPart(part)) return part;
  const { type, toolCallId, state, input, output, errorText, approval } = part;
  return { type, toolCallId, state, input, output, errorText, approval: approval?.id };
}
