import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A session on the command line as a document shows it: commands behind `$`, and what they print. */
export interface Transcript {
  readonly document: string;
  readonly text: string;
}

const blockPattern = /^```console\n(\$ (?:npx )?fullstop [\s\S]*?)^```$/gm;

/** All sessions in the README and in docs/. */
export function transcripts(root: string): readonly Transcript[] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)].flatMap((document) =>
    [...readFileSync(join(root, document), 'utf8').matchAll(blockPattern)].map(([, text = '']) => ({ document, text })),
  );
}

/** Runs the commands of a session anew, beside the example workflows, and gives the session as it is now. */
export function replayed(root: string, { text }: Transcript): string {
  const home = mkdtempSync(join(tmpdir(), 'fullstop-transcript-'));
  try {
    const commands = text.split('\n').filter((line) => line.startsWith('$ '));
    return commands.map((line) => `${line}\n${printedBy(root, home, line.slice(2))}`).join('\n');
  } finally {
    rmSync(home, { recursive: true });
  }
}

function printedBy(root: string, home: string, command: string): string {
  const binary = join(root, 'packages/cli/dist/main.js');
  // Both streams in the order of writing, as a person sees them.
  const { stdout } = spawnSync(
    'sh',
    ['-c', `fullstop() { "$NODE" "$BINARY" "$@"; }; npx() { "$@"; }; { ${command}; } 2>&1`],
    {
      cwd: join(root, 'examples/workflows'),
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE: process.execPath,
        BINARY: binary,
        FULLSTOP_STORE: join(home, 'runs.db'),
        LANG: 'C.UTF-8',
        NO_COLOR: '1',
        TZ: 'UTC',
      },
    },
  );
  return stdout;
}

/**
 * A session without what differs from one time to the next: ids, durations and dates, with the spaces that make room for them, and the sign of life of a step that a
 * busy machine is slow with.
 */
export function normalised(session: string): string {
  return session
    .replace(/^ {2}… .* is running\n/gm, '')
    .replace(/\br_[2-9a-z]{8}\b/g, 'r_ID')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'DATE')
    .replace(/\s*\b\d+(?:\.\d+)? ?m?s\b/g, ' TIME');
}
