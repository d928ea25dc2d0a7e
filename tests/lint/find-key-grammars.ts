import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/published-packages.js';

/** Where scopes and keys of journals are written or read. */
const rooms = [
  ...[
    'run',
    'agent',
    'pipeline',
    'convergence',
    'telemetry',
    'workflow/machine',
    'workflow/perform',
    'workflow/events',
  ].map((room) => `packages/fullstop/src/${room}`),
  'packages/cli/src',
];

/** The files that may know how scopes and keys are written. */
const grammars: ReadonlySet<string> = new Set([
  'packages/fullstop/src/run/journal/scope-path.ts',
  'packages/fullstop/src/run/journal/operation-key.ts',
  'packages/fullstop/src/agent/machine/agent-key.ts',
  'packages/fullstop/src/convergence/facts/fact-ref.ts',
  'packages/fullstop/src/convergence/machine/convergence-key.ts',
  'packages/fullstop/src/pipeline/machine/pipeline-key.ts',
  'packages/fullstop/src/workflow/graph/workflow-key.ts',
]);

const words =
  'approval|ask|call|check|compact|confirm|model|on_end|recheck|request|result|script|set|spawned|tell|terminate|tool|using|when';

/** The operations of a grammar alone; each is looked for line by line. */
const signs: Readonly<Record<string, RegExp>> = {
  'cuts a scope or key at a separator':
    /\b(?:scope|path|key|unit|member|visit|ref)\w*(?: \?\? '')?\)?\??\.(?:split|startsWith|endsWith|indexOf|lastIndexOf|match|replace|replaceAll)\(['"`/][^)]*[#~:/]/i,
  'matches the mark of a visit or attempt': /\/[^/\n]*(?:#|~|\[#~\]|\[~#\])(?:\()?\\d[^/\n]*\/[a-z]*[.,;)]/,
  'matches the word of a key': new RegExp(`\\/\\^(?:\\(\\?:|\\()?(?:${words})[|:][^\\n]*\\/[a-z]*\\.(?:exec|test)\\(`),
  'matches the key of a cycle': /\/\^cycle /,
  'compares the word of a key': new RegExp(`\\.(?:startsWith|endsWith)\\('(?:(?:${words}):|cycle )'\\)`),
  'makes a key by hand':
    /(?<!\? )\bkey ?(?::|=|===) ?`[^`\\]*(?:\}[:#~/]|[:#~/ ]\$\{)|\b(?:context|inner|unit)\.(?:step|record|child|sleep)\(`/,
  'makes a scope by hand': /\$\{(?:[\w.]*\.)?(?:scope|around|parent)\}[/~#:]|\}[#~]\$\{/,
  'makes the word of a key by hand': new RegExp(`\`(?:${words}):\\$\\{`),
};

export interface GrammarFinding {
  readonly line: number;
  readonly sign: string;
}

/** The lines of a text that make or read a scope or key by themselves. */
export function findGrammar(text: string): readonly GrammarFinding[] {
  return text.split('\n').flatMap((content, index) => {
    const found = Object.entries(signs).find(([, pattern]) => pattern.test(content));
    return found === undefined ? [] : [{ line: index + 1, sign: found[0] }];
  });
}

/** The same for all sources but the grammars themselves. */
export function findGrammarInSources(): readonly string[] {
  return rooms
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`),
    )
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|test-d|fixture)\.ts$/.test(file) && !grammars.has(file))
    .flatMap((file) =>
      findGrammar(readFileSync(join(root, file), 'utf8')).map(({ line, sign }) => `${file}:${line} ${sign}`),
    );
}
