import type { LoadedDocument, LoadOptions } from 'fullstop/workflow';
import type { OptionSpec } from '../command-line/option.js';

/** The option of every command that reads workflow files. */
export const confineOption = {
  type: 'flag',
  about: "Reads nothing outside of the file's folder, links followed",
} as const satisfies OptionSpec;

/** A document to draw or describe: secrets are their names in it. Undefined when it cannot be loaded so. */
export async function shownDocument(options: LoadOptions): Promise<LoadedDocument | undefined> {
  const { loadDocument } = await import('fullstop/workflow');
  const masked = loadDocument({ ...options, masked: true });
  if (masked.ok) return masked.loaded;
  // A value that has to be one of a few, or the name of a file, cannot be hidden from the check; it is hidden on the way out.
  const plain = loadDocument(options);
  return plain.ok ? plain.loaded : undefined;
}
