import type { JsonValue } from 'fullstop';
import { isObject } from '../../journal/is-object.js';

/** A piece of a message. What is too long to send is cut; the entry has all of it. */
export type MessagePart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string; readonly seq: number; readonly cutFrom?: number }
  | { readonly type: 'error'; readonly text: string; readonly seq: number; readonly cutFrom?: number }
  | { readonly type: 'call'; readonly tool: string; readonly id?: string; readonly input: JsonValue }
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'image'; readonly mediaType: string; readonly source: string };

const longestText = 20_000;
const longestValue = 60_000;
const longestImage = 2_000_000;

export function textPart(text: string, seq: number, type: 'text' | 'reasoning' = 'text'): MessagePart {
  if (text.length <= longestText) return { type, text, seq };
  return { type, text: text.slice(0, longestText), seq, cutFrom: text.length };
}

/** A value to be shown as a tree, or as the beginning of its JSON where it is too large for one. */
export function valuePart(value: JsonValue, seq: number): MessagePart {
  if (typeof value === 'string') return textPart(value, seq);
  const text = JSON.stringify(value);
  return text.length <= longestValue ? { type: 'value', value } : textPart(text, seq);
}

/** The parts of an answer of a model, in the order in which it gave them. */
export function answerParts(value: JsonValue | undefined, seq: number): readonly MessagePart[] {
  if (!isObject(value)) return [];
  const { response, failure } = value;
  if (isObject(failure)) return [{ type: 'error', text: failureText(failure), seq }];
  if (!isObject(response)) return [];
  const { content, text } = response;
  if (Array.isArray(content) && content.length > 0) return content.map((part) => mediaPart(part, seq));
  return typeof text === 'string' && text !== '' ? [textPart(text, seq)] : [];
}

function failureText(failure: { readonly [key: string]: JsonValue }): string {
  const { error, message } = failure;
  const inner = isObject(error) ? error['message'] : undefined;
  const told = message ?? inner;
  return typeof told === 'string' ? told : JSON.stringify(failure);
}

/** Reads a part of a message, whatever its kind; one that is not known is shown as it is. */
export function mediaPart(part: JsonValue, seq: number): MessagePart {
  if (!isObject(part)) return valuePart(part, seq);
  const { type, text } = part;
  if ((type === 'text' || type === 'reasoning') && typeof text === 'string') return textPart(text, seq, type);
  if (type === 'tool-call') {
    const { toolName, toolCallId, input } = part;
    const id = typeof toolCallId === 'string' ? { id: toolCallId } : {};
    return { type: 'call', tool: String(toolName), ...id, input: input ?? null };
  }
  return imagePart(part) ?? valuePart(part, seq);
}

/** Images come as base64 text or as a data URL. Other addresses are not loaded: the page asks nobody but its server. */
function imagePart(part: { readonly [key: string]: JsonValue }): MessagePart | undefined {
  const mediaType = part['mediaType'] ?? part['mimeType'];
  const data = part['data'] ?? part['image'];
  const isImage = typeof mediaType === 'string' && /^image\/(png|jpeg|gif|webp|avif)$/.test(mediaType);
  if (!isImage || typeof data !== 'string' || data.length > longestImage) return undefined;
  if (data.startsWith('data:')) return { type: 'image', mediaType, source: data };
  const isBase64 = /^[A-Za-z0-9+/=\s]+$/.test(data);
  return isBase64 ? { type: 'image', mediaType, source: `data:${mediaType};base64,${data}` } : undefined;
}
