import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { directoryWith, workflowFrom } from './workflow.fixture.js';

const shape = 'output: {v: {type: number}}';
// The first time it works until it is stopped.
const slow = 'echo a >> marks; [ $(grep -c a marks) = 1 ] && touch ready && sleep 30; echo no number';
const members = `
  - {name: a, type: script, command: bash, args: ["-c", "${slow}"], ${shape}}
  - {name: b, type: script, command: bash, args: ["-c", "echo b >> marks; echo no number"], ${shape}}
`;
const parallel = (mode: string): string => `
workflow: {name: w, entry_point: g}
agents: ${members}
parallel: [{name: g, agents: [a, b], failure_mode: ${mode}}]
`;

describe('a group that was stopped after one of its members had failed', () => {
  it.each(['all_or_nothing', 'continue_on_error'])(
    'tries every member once with each resume, with %s',
    async (mode) => {
      const directory = directoryWith({});
      const marks = (): string[] => readFileSync(join(directory, 'marks'), 'utf8').trim().split('\n');
      const engine = memoryEngine();
      const controller = new AbortController();
      const workflow = workflowFrom(parallel(mode), { workingDirectory: directory });
      const running = workflow.run({}, { engine, runId: 'r', signal: controller.signal });
      await expect.poll(async () => (await engine.journal('r')).some(({ key }) => key === 'script:g.b')).toBe(true);
      await expect.poll(() => marks().includes('a')).toBe(true);
      controller.abort('enough');
      expect((await running).termination.kind).toBe('cancelled');
      expect(marks().sort()).toEqual(['a', 'b']);
      expect((await workflow.resume('r', { engine })).outcome).toBe('failed');
      expect(marks().sort()).toEqual(['a', 'a', 'b', 'b']);
      await workflow.resume('r', { engine });
      expect(marks().sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
    },
  );
});

interface EarlierJournal {
  readonly name: string;
  readonly text: string;
  readonly journal: readonly JournalEntry[];
}

/** Journals of a version in which one old failure had all failed members tried again, those of the same resume too. */
const journals = readFileSync(new URL('earlier-journals.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as EarlierJournal);

describe.each(journals)('the journal of an earlier version with $name', ({ text, journal }) => {
  const again = journal.findIndex(({ key }) => key === 'script:g#2.a') + 1;
  const directory = directoryWith({ ok: '' });
  const workflow = workflowFrom(text, { workingDirectory: directory });
  const output = { a: 1, b: 2 };

  it('is read as it was written', async () => {
    const engine = memoryEngine();
    await engine.importRun(journal);
    const result = await workflow.result('r', { engine });
    expect(result).toMatchObject({ termination: { kind: 'flow_completed' }, output, history: ['g'] });
    expect(result?.observations.filter(({ type }) => type === 'member_done')).toHaveLength(4);
  });

  it.each(Array.from({ length: journal.length - again }, (_, index) => again + index))(
    'is continued as it was begun after %d entries',
    async (length) => {
      const engine = memoryEngine();
      await engine.importRun(journal.slice(0, length));
      const result = await workflow.resume('r', { engine });
      expect(result).toMatchObject({ termination: { kind: 'flow_completed' }, output });
      expect((await engine.journal('r')).slice(0, length)).toEqual(journal.slice(0, length));
    },
  );

  it('is continued where the first of them has left no entry', async () => {
    const entries = journal.slice(0, again + 2).filter((_, index) => index !== again - 1);
    const engine = memoryEngine();
    await engine.importRun(entries.map((entry, index) => ({ ...entry, seq: index + 1 })));
    expect(await workflow.resume('r', { engine })).toMatchObject({ termination: { kind: 'flow_completed' }, output });
  });
});
