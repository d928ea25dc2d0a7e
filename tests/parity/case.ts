import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../packages/fullstop/src/termination/json.js';

/** `cases` came with the reference's recordings; `more-cases` are this project's own workflows, recorded in the same way. */
const folders = ['cases', 'more-cases'].map((name) => join(import.meta.dirname, name));

/** The recorded behaviour of the reference. */
export interface Expected {
  readonly exit: number;
  readonly output: JsonObject | null;
  readonly output_text: string | null;
  readonly events: readonly string[];
  readonly events_unordered?: readonly string[];
  readonly terminal: Readonly<Record<string, unknown>> | null;
  readonly history: readonly string[];
  readonly prompts?: Readonly<Record<string, readonly string[]>>;
  readonly error_contains: string | null;
  readonly warning_contains?: string | null;
}

export interface ParityCase {
  readonly name: string;
  readonly directory: string;
  readonly area: string;
  readonly notes: string;
  readonly command: string;
  readonly inputs: JsonObject;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly expect: Expected;
  /** The file itself, where `1.0` is not yet `1`. */
  readonly text: string;
}

/** All recorded cases of a command. */
export function casesOf(command: string): readonly ParityCase[] {
  return allCases().filter((each) => each.command === command);
}

/** All recorded cases. */
export function allCases(): readonly ParityCase[] {
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((name) => readCase(name, join(folder, name))),
  );
}

function readCase(name: string, directory: string): ParityCase {
  const text = readFileSync(join(directory, 'case.json'), 'utf8');
  const read = JSON.parse(text) as Omit<ParityCase, 'name' | 'text'> & { readonly command?: string };
  return { ...read, command: read.command ?? 'run', name, directory, text };
}

/** A fresh copy of a case's files, and what removes it again. */
export function copyOf(parity: ParityCase): { readonly directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'fullstop-parity-'));
  cpSync(parity.directory, directory, { recursive: true });
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
