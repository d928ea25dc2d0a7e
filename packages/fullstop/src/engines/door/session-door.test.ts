import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../memory/memory-engine.js';
import type { RunSession } from '../port/engine.js';
import type { EntryDraft } from '../port/journal-entry.js';
import { appendOwn } from './session-door.js';

const draft: EntryDraft = {
  type: 'step_ended',
  scope: '',
  ordinal: 0,
  key: 'work',
  at: 5,
  data: { ok: true, attempts: 1 },
};

async function claimed() {
  const engine = memoryEngine();
  await engine.start({ runId: 'r', name: 'n', version: '1' });
  return { engine, session: (await engine.claim('r', 'w')) as RunSession };
}

describe('an entry that the room of runs made', () => {
  it('is appended as any other', async () => {
    const { engine, session } = await claimed();
    appendOwn(session, draft);
    expect((await engine.journal('r')).at(-1)).toMatchObject({ ...draft, seq: 2 });
  });

  it.each([
    ['a time that is none', { ...draft, at: Number.NaN }, 'append: at is NaN'],
    [
      'a type whose data others may have made',
      { ...draft, type: 'request_opened', data: { request: {} } } as unknown as EntryDraft,
      'append: ',
    ],
  ])('is read all the same with %s', async (_, given, message) => {
    const { engine, session } = await claimed();
    expect(() => appendOwn(session, given)).toThrow(message);
    expect(await engine.journal('r')).toHaveLength(1);
  });

  it('passes through a session that somebody has wrapped', async () => {
    const { session } = await claimed();
    const seen: unknown[] = [];
    const wrapped = new Proxy(session, {
      get: (target, name) => (name === 'append' ? (given: EntryDraft) => seen.push(given) : Reflect.get(target, name)),
    });
    appendOwn(wrapped, draft);
    expect(seen).toEqual([draft]);
  });

  it('is refused by append itself when no store could keep its key', async () => {
    const { session } = await claimed();
    expect(() => session.append({ ...draft, key: '\u0000' })).toThrow('append: key is');
  });
});
