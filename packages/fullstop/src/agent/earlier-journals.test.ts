import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineAgent } from './define-agent.js';
import { requireApproval } from './tools/tool.js';

interface EarlierJournal {
  readonly name: string;
  readonly journal: readonly JournalEntry[];
}

/** Journals of a version in which a hook that threw stopped nothing, and calls were made after a halt of the hook after the model. */
const journals = readFileSync(new URL('earlier-journals.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as EarlierJournal);

function agentOf(name: string) {
  const anything = { type: 'object' } as const;
  const refuse = () => {
    throw new Error('this call was made already');
  };
  const pay = { inputSchema: anything, execute: refuse };
  return defineAgent({
    name: 'teller',
    model: scriptedModel([{ text: 'done' }]),
    tools: {
      guard: { inputSchema: anything, execute: refuse },
      pay: name.includes('approved') ? requireApproval(pay) : pay,
    },
    hooks: { beforeTool: refuse },
  });
}

describe.each(journals)('the journal of an earlier version with $name', ({ name, journal }) => {
  it('is read as it was written', async () => {
    const engine = memoryEngine();
    await engine.importRun(journal);
    const result = await agentOf(name).result('r', { engine });
    expect(result?.termination).toEqual({ kind: 'natural_end' });
    expect(result?.toolCalls.map(({ tool, output }) => [tool, output])).toMatchObject([
      ['guard', {}],
      ['pay', { value: 'paid' }],
    ]);
    expect(result?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('is continued as it was begun', async () => {
    const engine = memoryEngine();
    await engine.importRun(journal.slice(0, -1));
    const result = await agentOf(name).resume('r', { engine });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.toolCalls.at(1)?.output).toMatchObject({ value: 'paid' });
    // The ending alone was missing: nothing was asked or made again.
    expect((await engine.journal('r')).slice(0, -1)).toEqual(journal.slice(0, -1));
  });
});
