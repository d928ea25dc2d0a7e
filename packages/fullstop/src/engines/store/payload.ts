/** Changes texts on their way into the file and back, for instance to encrypt them. */
export interface PayloadCodec {
  encode(text: string): string;
  decode(text: string): string;
}

/** Stores texts as they are. */
export const plainText: PayloadCodec = { encode: (text) => text, decode: (text) => text };
