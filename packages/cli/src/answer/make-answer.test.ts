import type { OpenRequest } from 'fullstop';
import { describe, expect, it } from 'vitest';
import { makeAnswer, type Said } from './make-answer.js';

const nothing: Said = {
  approve: false,
  deny: false,
  choose: undefined,
  value: undefined,
  'value-json': undefined,
  field: [],
  note: undefined,
};
const approval: OpenRequest = { id: 'call_7', type: 'approval', path: '', openedAt: 0, tool: 'deploy' };
const gate: OpenRequest = {
  id: 'review',
  type: 'gate',
  path: '',
  openedAt: 0,
  options: [{ value: 'approve', label: 'Ship it' }, { value: 'reject' }],
};
const make = (request: OpenRequest, said: Partial<Said>, by = 'maria') =>
  makeAnswer(request, { ...nothing, ...said }, by);

describe('makeAnswer', () => {
  it('says yes and no, with who and why', () => {
    expect(make(approval, { approve: true })).toEqual({ decision: 'approve', by: 'maria' });
    expect(make(approval, { deny: true, note: 'too late' })).toEqual({
      decision: 'deny',
      by: 'maria',
      reason: 'too late',
    });
  });

  it('skips a question by the label that is shown for it', () => {
    const question: OpenRequest = { ...gate, type: 'input', options: [{ value: '__skip__', label: 'Skip' }] };
    expect(make(question, { choose: 'Skip' })).toMatchObject({ value: '__skip__' });
    expect(() => make(question, { choose: 'Skp' })).toThrow('(did you mean "Skip"?); it offers Skip.');
  });

  it('chooses by value or by label, with fields besides', () => {
    expect(make(gate, { choose: 'reject' })).toEqual({ decision: 'value', value: 'reject', by: 'maria' });
    expect(make(gate, { choose: 'Ship it' })).toEqual({ decision: 'value', value: 'approve', by: 'maria' });
    expect(make(gate, { choose: 'reject', field: ['why=late', 'x=a=b'] })).toEqual({
      decision: 'value',
      value: { selected: 'reject', additional_input: { why: 'late', x: 'a=b' } },
      by: 'maria',
    });
  });

  it('takes --approve for the choice of that name', () => {
    expect(make(gate, { approve: true })).toEqual({ decision: 'value', value: 'approve', by: 'maria' });
  });

  it('answers with texts and with any value', () => {
    const input: OpenRequest = { id: 'q', type: 'input', path: '', openedAt: 0 };
    expect(make(input, { value: '42' })).toMatchObject({ decision: 'value', value: '42' });
    expect(make(input, { 'value-json': '{"a":[1]}' })).toMatchObject({ decision: 'value', value: { a: [1] } });
  });

  it('supplies the result of a tool, or says why there is none', () => {
    const result: OpenRequest = { ...approval, type: 'client_tool', tool: 'place' };
    expect(make(result, { 'value-json': '{"city":"Oslo"}' })).toMatchObject({
      decision: 'value',
      value: { city: 'Oslo' },
    });
    expect(make(result, { deny: true, note: 'no signal' })).toMatchObject({ decision: 'deny', reason: 'no signal' });
    expect(() => make(result, { approve: true })).toThrow('"call_7" asks for the result of place, not for approval');
  });

  it.each([
    ['two answers at once', gate, { approve: true, deny: true }, 'Pass exactly one of'],
    ['no answer', gate, {}, 'Pass exactly one of'],
    ['a choice that is not offered', gate, { choose: 'reject_' }, '(did you mean "reject"?)'],
    ['what is no JSON', gate, { 'value-json': '{' }, '--value-json is not JSON'],
    ['a field without a name', gate, { choose: 'reject', field: ['=x'] }, '--field needs a name'],
  ])('refuses %s', (_, request, said, message) => {
    expect(() => make(request, said)).toThrow(message);
  });

  it('honours the list of those who may answer', () => {
    const listed = { ...gate, answerers: ['maria', 'ops'] };
    expect(make(listed, { choose: 'reject' }, 'ops')).toMatchObject({ by: 'ops' });
    expect(() => make(listed, { choose: 'reject' }, 'eve')).toThrow('may be answered by maria, ops, not by eve');
  });
});
