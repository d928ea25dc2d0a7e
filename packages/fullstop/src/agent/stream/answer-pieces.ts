import type { ToolOutput } from '../../models/message.js';
import type { ModelResponse } from '../../models/model-response.js';
import type { JsonValue } from '../../termination/json.js';

/** A piece of an answer in the order in which the model said it. Neighbours of the same type are one piece. */
export type AnswerPiece =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly tool: string;
      readonly input: JsonValue;
      /** The result of a call that the provider performs itself. */
      readonly performed?: { readonly output?: ToolOutput };
    };

/** The pieces of an answer that come as deltas: the same from the journal as from a stream. */
export function piecesOf(response: ModelResponse, sendReasoning: boolean): readonly AnswerPiece[] {
  const own = new Map(response.toolCalls.map((call) => [call.id, call]));
  const outputs = new Map<string, ToolOutput>();
  for (const part of response.content) if (part.type === 'tool-result') outputs.set(part.toolCallId, part.output);
  const pieces: AnswerPiece[] = [];
  const say = (type: 'text' | 'reasoning', text: string): void => {
    const last = pieces.at(-1);
    if (text === '') return;
    if (last?.type === type) pieces.splice(-1, 1, { type, text: last.text + text });
    else pieces.push({ type, text });
  };
  for (const part of response.content) {
    if (part.type === 'text' || (part.type === 'reasoning' && sendReasoning)) say(part.type, part.text);
    if (part.type !== 'tool-call') continue;
    const { toolCallId: id, toolName: tool } = part;
    const input = own.get(id)?.input ?? part.input;
    const output = outputs.get(id);
    const performed = part.providerExecuted === true && { performed: output === undefined ? {} : { output } };
    pieces.push({ type: 'call', id, tool, input, ...performed });
  }
  return pieces;
}

/** An answer without its calls. */
export function wordsOf(response: ModelResponse): ModelResponse {
  const content = response.content.filter(({ type }) => type !== 'tool-call' && type !== 'tool-result');
  return { ...response, content, toolCalls: [] };
}

/** A piece as far as it was streamed. */
export type StreamedPiece =
  | { readonly type: 'text' | 'reasoning'; text: string; readonly block: string }
  | { readonly type: 'call'; readonly id: string };

/** How far an answer was streamed: so many pieces, the last of them up to this length if it is a text. */
export interface StreamedPart {
  readonly count: number;
  readonly length: number;
}

/**
 * How far an answer was streamed; undefined when it is another one than what was streamed. Calls that are not in the answer
 * were broken off, and say nothing about the rest.
 */
export function streamedPart(
  streamed: readonly StreamedPiece[],
  pieces: readonly AnswerPiece[],
): StreamedPart | undefined {
  const calls = new Set(pieces.flatMap((piece) => (piece.type === 'call' ? [piece.id] : [])));
  const sound: AnswerLike[] = [];
  for (const piece of streamed) {
    const last = sound.at(-1);
    if (piece.type === 'call') {
      if (calls.has(piece.id)) sound.push(piece);
    } else if (last?.type === piece.type) sound.splice(-1, 1, { type: piece.type, text: last.text + piece.text });
    else sound.push(piece);
  }
  const fits = sound.every((piece, index) => isBeginning(piece, pieces[index], index === sound.length - 1));
  const last = sound.at(-1);
  return fits
    ? { count: sound.length, length: last !== undefined && last.type !== 'call' ? last.text.length : 0 }
    : undefined;
}

type AnswerLike =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly id: string };

function isBeginning(streamed: AnswerLike, piece: AnswerPiece | undefined, isLast: boolean): boolean {
  if (piece?.type === 'call' || streamed.type === 'call')
    return piece?.type === 'call' && streamed.type === 'call' && piece.id === streamed.id;
  if (piece?.type !== streamed.type) return false;
  return isLast ? piece.text.startsWith(streamed.text) : piece.text === streamed.text;
}
