import { join } from 'node:path';
import { defineAgent, requireApproval } from 'fullstop';
import { conversation } from 'fullstop/conversation';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { scriptedModel } from 'fullstop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

/** A store with two conversations: two turns of which the second was edited, and one turn that waits. */
async function writeConversations(file: string): Promise<void> {
  const engine = sqliteEngine(file);
  const model = scriptedModel(({ options: { prompt } }) =>
    JSON.stringify(prompt.at(-1)).includes('deploy')
      ? { toolCalls: [{ tool: 'deploy', input: {}, id: 'd' }] }
      : { text: 'said' },
  );
  const agent = defineAgent({ name: 'talker', model, tools: { deploy: requireApproval({ execute: () => 'done' }) } });
  const chat = conversation('chat-1', { agent, engine });
  await chat.send('one');
  await chat.send('two');
  await chat.edit(2, 'another two');
  await conversation('chat-10', { agent, engine }).send('deploy');
  await agent.run('alone', { engine, runId: 'alone' });
  await engine.close();
}

describe('runs --conversation', () => {
  it('lists the turns of one conversation, and names them in show and why', async () => {
    const store = join(place.folder, 'runs.db');
    await writeConversations(store);
    const at = ['--store', store];
    const idsOf = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await place.run(['runs', '--ids', ...args, ...at])).stdout.trim().split('\n').filter(Boolean).sort();
    expect(await idsOf()).toHaveLength(5);
    expect(await idsOf('--conversation', 'chat-1')).toEqual(['chat-1/turn-1', 'chat-1/turn-2', 'chat-1/turn-3']);
    expect(await idsOf('--conversation', 'chat-10')).toEqual(['chat-10/turn-1']);
    expect(await idsOf('--conversation', 'chat')).toEqual([]);
    const { stdout } = await place.run(['runs', '--json', '--conversation', 'chat-1', ...at]);
    expect(stdout).toContain('chat-1/turn-3');
    expect(stdout).not.toContain('chat-10');
    const shown = await place.run(['show', 'chat-1/turn-3', ...at]);
    expect(shown.stdout).toContain('turn   3 of chat-1, after chat-1/turn-1');
    expect((await place.run(['why', 'chat-10/turn-1', ...at])).stdout).toContain('turn 1 of chat-10');
  });
});
