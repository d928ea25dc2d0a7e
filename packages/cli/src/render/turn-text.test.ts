import { describe, expect, it } from 'vitest';
import { noFilter, runFilter } from '../store/run-filter-options.js';
import { turnText } from './turn-text.js';

describe('the turn of a run', () => {
  it('is told with the turn before it', () => {
    expect(turnText({})).toBeUndefined();
    expect(turnText({ conversation: { id: 'chat', turn: 1 } })).toBe('1 of chat');
    const after = { runId: 'chat/turn-1', segment: 2 };
    expect(turnText({ conversation: { id: 'chat', turn: 2, after } })).toBe('2 of chat, after chat/turn-1');
  });

  it('can be asked for by its conversation', () => {
    expect(runFilter({ ...noFilter, conversation: 'chat' }, 0)).toEqual({ conversation: 'chat' });
  });
});
