/** A call of a tool, with its arguments as the model wrote them. */
export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** An answer of the model, sent whole or as a stream, whichever the client asks for, in the words of each protocol. */
export interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  /** The proof that the provider wants back with its reasoning. */
  readonly signature?: string;
  /** The model's own refusal, where a protocol has a place for it. */
  readonly refusal?: string;
  readonly toolCalls?: readonly AnsweredCall[];
  /** `stop`, `length`, `content_filter` or `tool_calls` in the protocol's own word; any other word is sent as it is. */
  readonly finish?: string;
  readonly usage?: object;
  /** Stops in the middle: the connection breaks, or the stream ends as if that were all, or nothing more comes. */
  readonly cut?: 'connection' | 'stream' | 'stall';
  /** An error in the middle of the stream. */
  readonly breaksWith?: Failure;
  readonly delayMs?: number;
  /** Waits for this in the middle of the stream, and then continues it. */
  readonly heldUntil?: Promise<unknown>;
}

/** A refusal of the server, in the form that each protocol has for it. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  /** OpenAI's `code`, Anthropic's `type`. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that no protocol has, such as a page of a proxy. */
export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

/** A server that takes the request and never answers, or breaks the connection. */
export interface NoReply {
  readonly no: 'answer' | 'connection';
}

export type Reply = Answer | Failure | RawReply | NoReply;

/** One way of speaking to models over HTTP. */
export interface Protocol {
  /** The end of the addresses at which it is spoken. */
  readonly path: string;
  /** The reason why the real service would refuse a request; servers that accept everything hide mistakes. */
  problemOf(body: Fields): string | undefined;
  /** An answer as one JSON body. */
  whole(answer: Answer): object;
  /** An answer as the frames of a stream; those after `content` frames are its end. */
  frames(answer: Answer): { readonly content: readonly string[]; readonly end: readonly string[] };
  /** A refusal as a body. */
  failure(failure: Failure): object;
  /** A refusal as a frame of a stream that has begun. */
  failureFrame(failure: Failure): string;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The pieces in which a text is streamed. */
export function wordsOf(text: string | undefined): readonly string[] {
  return text?.match(/\S+\s*|^\s+/g) ?? [];
}

/** The pieces in which arguments are streamed: they break in the middle of words. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/.{1,7}/gs) ?? [];
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}
