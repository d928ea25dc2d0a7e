import { describe, expect, it } from 'vitest';
import { type FormInput, firstValues, readChanged, readStart } from './start-inputs.js';

const inputs: readonly FormInput[] = [
  { name: 'ticket', type: 'string', required: true },
  { name: 'age', type: 'number', required: false, default: 12 },
  { name: 'dry', type: 'boolean', required: false, default: true },
  { name: 'tags', type: 'array', required: false, default: ['a'] },
];

describe('the form of a workflow', () => {
  it('begins with the defaults', () => {
    expect(firstValues(inputs)).toEqual({ ticket: '', age: '12', dry: true, tags: '["a"]' });
  });

  it('becomes inputs of the types that the file declares', () => {
    const values = { ticket: '4711', age: '3.5', dry: false, tags: '["x", 1]' };
    expect(readStart(inputs, values)).toEqual({ inputs: { ticket: '4711', age: 3.5, dry: false, tags: ['x', 1] } });
  });

  it('leaves an input that is empty to its default', () => {
    expect(readStart(inputs, { ticket: 'x', age: '', tags: '' })).toEqual({ inputs: { ticket: 'x' } });
  });

  it.each([
    [{ ticket: '' }, 'ticket is required.'],
    [{ ticket: 'x', age: 'old' }, 'age: a number is needed, not "old".'],
  ])('refuses %o', (values, problem) => {
    expect(readStart(inputs, values)).toEqual({ problem });
  });

  it('that begins with the inputs of a run becomes those that were changed', () => {
    const of = inputs.map((input) => ({ ...input, ...(input.name === 'ticket' && { default: '4711' }) }));
    expect(readChanged(of, {})).toEqual({ inputs: undefined });
    expect(readChanged(of, { ...firstValues(of), age: '13' })).toEqual({ inputs: { age: 13 } });
    expect(readChanged(of, { ticket: '', dry: false })).toEqual({ inputs: { ticket: '', dry: false } });
    expect(readChanged(of, { age: '' })).toEqual({ problem: 'age cannot be empty.' });
    expect(readChanged(of, { age: 'old' })).toEqual({ problem: 'age: a number is needed, not "old".' });
  });

  it('says where JSON is none', () => {
    const read = readStart(inputs, { ticket: 'x', tags: '[1' });
    expect('problem' in read && read.problem).toMatch(/^tags is no JSON: /);
  });
});
