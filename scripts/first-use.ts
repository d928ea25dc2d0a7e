/**
 * Lays a bundle out for a fresh process. V8 reads a function twice, once to skip it and once when it is first called; one in
 * parentheses it compiles at once. So what the first run of an agent calls is put first and in parentheses.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { OutputFile } from 'esbuild';

/** Where a function that was called begins and ends in its file. */
interface CalledFunction {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A first run in a process of its own, with V8's coverage of what it called. Nothing else may load the bundle before. */
const program = `
import { Session } from 'node:inspector';
import { z } from 'zod';
const session = new Session();
session.connect();
const ask = (method, options) => {
  let answer;
  session.post(method, options, (error, result) => { if (error) throw error; answer = result; });
  return answer;
};
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const { defineAgent, maxIterations } = await import('./bundle/index.js');
let calls = 0;
const answer = (content, reason) => ({
  content, finishReason: { unified: reason, raw: reason }, warnings: [],
  usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
});
const model = {
  specificationVersion: 'v3', provider: 'build', modelId: 'scripted', supportedUrls: {},
  doStream() { throw new Error('Nobody streams here.'); },
  async doGenerate() {
    if (calls === 3) return answer([{ type: 'text', text: 'done' }], 'stop');
    calls += 1;
    const input = JSON.stringify({ n: calls });
    return answer([{ type: 'tool-call', toolCallId: 'call_' + calls, toolName: 'count', input }], 'tool-calls');
  },
};
const count = { description: 'Counts', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => ({ next: n + 1 }) };
const agent = defineAgent({ model, tools: { count }, stopWhen: [maxIterations(5)] });
const { termination } = await agent.run('go');
if (termination.kind !== 'natural_end') throw new Error('The first run of the bundle ended as ' + termination.kind + '.');
const called = [];
for (const { url, functions } of ask('Profiler.takePreciseCoverage').result) {
  for (const { ranges: [{ count, startOffset: start, endOffset: end }] } of functions) {
    if (count > 0 && url.includes('/bundle/')) called.push({ file: url.split('/').at(-1), start, end });
  }
}
process.stdout.write(JSON.stringify(called));
`;

export interface BundlePlace {
  /** The folder of the files, with the entry `index.js` in it. */
  readonly folder: string;
  /** A folder for the copy that is run; packages are found from there. */
  readonly scratch: string;
}

/** The same files, each with the functions of a first run before everything else. */
export function layOutByFirstUse(files: readonly OutputFile[], place: BundlePlace): OutputFile[] {
  const called = runOnce(files, place);
  return files.map((file) =>
    withText(
      file,
      putFirst(
        file.text,
        called.filter(({ file: name }) => name === basename(file.path)),
      ),
    ),
  );
}

function runOnce(files: readonly OutputFile[], { folder, scratch }: BundlePlace): readonly CalledFunction[] {
  rmSync(scratch, { recursive: true, force: true });
  for (const { path, contents } of files) {
    const copy = join(scratch, 'bundle', relative(folder, path));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, contents);
  }
  const main = join(scratch, 'first-run.mjs');
  writeFileSync(main, program);
  return JSON.parse(execFileSync(process.execPath, [main], { encoding: 'utf8' })) as CalledFunction[];
}

/** Only declarations on the outermost level of the file move: they are hoisted anyway, so their order means nothing. */
export function putFirst(text: string, called: readonly Pick<CalledFunction, 'start' | 'end'>[]): string {
  let rest = text;
  const first: { readonly origin: string; readonly source: string }[] = [];
  for (const { start, end } of [...called].sort((one, other) => other.start - one.start)) {
    const source = text.slice(start, end);
    const [, head, name = '', body] = /^((?:async )?function\*?) ?([\w$]+)(\(.*)$/s.exec(source) ?? [];
    const isOutermost = start === 0 || text[start - 1] === '\n';
    if (head === undefined || !isOutermost) continue;
    // It gets its name from the variable.
    first.unshift({ origin: originOf(text, start), source: `var ${name} = (${head} ${body});` });
    rest = rest.slice(0, start) + rest.slice(end);
  }
  const moved = first.map(({ origin, source }, index) =>
    origin === first[index - 1]?.origin ? source : `${origin}\n${source}`,
  );
  return moved.length === 0 ? text : `${moved.join('\n')}\n${rest}`;
}

/** The comment in which esbuild names the source file of a part. */
function originOf(text: string, before: number): string {
  return (
    text
      .slice(0, before)
      .match(/^\/\/ \S+\.[jt]s$/gm)
      ?.at(-1) ?? ''
  );
}

function withText({ path, hash }: OutputFile, text: string): OutputFile {
  return { path, hash, text, contents: new TextEncoder().encode(text) };
}
