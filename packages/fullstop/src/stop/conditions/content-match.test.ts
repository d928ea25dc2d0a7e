import { describe, expect, it } from 'vitest';
import type { StopCondition } from '../condition.js';
import { call, endingsOf, observation, round } from '../loop.fixture.js';
import type { LoopObservation } from '../observation.js';
import { observeText } from '../observe.js';
import { contentMatch } from './content-match.js';

/** The point after a response that asks for no tool. */
function answered(text: string, condition: StopCondition<string>): LoopObservation {
  return observation({ point: 'after_response', text: observeText(text, [condition]), calls: [] });
}

function ends(content: Parameters<typeof contentMatch>[0], text: string): boolean {
  const condition = contentMatch(content);
  return endingsOf(condition, [answered(text, condition)])[0] !== undefined;
}

describe('contentMatch', () => {
  it('says how a pattern is asked for', () => {
    expect(() => contentMatch(/done/i as never)).toThrow('{ regExp: /done/i }');
  });

  it('finds a text as it is written', () => {
    const condition = contentMatch('a.b (c)');
    expect(endingsOf(condition, [answered('so a.b (c)!', condition)])).toEqual([
      { kind: 'content_matched', pattern: 'a.b (c)' },
    ]);
    expect(ends('a.b', 'axb')).toBe(false);
    expect(ends('done', 'DONE')).toBe(false);
  });

  it('finds a text anywhere in a long answer', () => {
    expect(ends('DONE', `DONE${'x'.repeat(50_000)}`)).toBe(true);
  });

  it('matches a pattern only when asked to, on the last 10,000 characters', () => {
    expect(ends({ regExp: /verdict:\s*(pass|fail)/i }, 'Verdict: PASS')).toBe(true);
    expect(ends({ regExp: 'verdict', flags: 'i' }, 'VERDICT')).toBe(true);
    expect(ends({ regExp: /DONE/ }, `DONE${'x'.repeat(10_000)}`)).toBe(false);
    expect(ends({ regExp: /DONE/ }, `DONE${'x'.repeat(9_996)}`)).toBe(true);
  });

  it('returns the same answer every time, for a global pattern too', () => {
    const condition = contentMatch({ regExp: /done/g });
    const texts = [answered('done', condition), answered('done', condition)];
    expect(endingsOf(condition, texts)).toEqual([
      { kind: 'content_matched', pattern: '/done/' },
      { kind: 'content_matched', pattern: '/done/' },
    ]);
  });

  it('waits for the calls of that response, and can say meanwhile that the goal is reached', () => {
    const condition = contentMatch('DONE');
    const asking = observation({ point: 'after_response', text: observeText('DONE', [condition]) });
    expect(endingsOf(condition, [asking, round(call('save'))])).toEqual([
      undefined,
      { kind: 'content_matched', pattern: 'DONE' },
    ]);
    const state = condition.fold.observe!(condition.fold.init(), asking, []);
    expect(condition.fold.reached?.(state)).toEqual({ kind: 'content_matched', pattern: 'DONE' });
  });

  it('looks at the latest response only', () => {
    const condition = contentMatch('DONE');
    const texts = ['DO', 'NE'].map((text) => answered(text, condition));
    expect(endingsOf(condition, texts)).toEqual([undefined, undefined]);
  });

  it.each([
    [{ regExp: /(a)\1/ }, 'refers back'],
    [{ regExp: /(?=a)/ }, 'look-around'],
    [{ regExp: '(' }, 'Unterminated group'],
    [{ regExp: '' }, 'regExp is ""'],
    [{ regExp: /a/y }, 'only the flags'],
    [{ regExp: 'a', flags: 5 }, 'flags is 5'],
    [{ regex: /a/ }, 'has no option "regex"; there are regExp, flags.'],
    ['', 'text is ""; it must be a text that is not empty'],
    [undefined, 'contentMatch is nothing'],
  ])('refuses %j at the start', (content, message) => {
    expect(() => contentMatch(content as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(message) }),
    );
  });
});
