import { describe, expect, it } from 'vitest';
import { resumeBodySchema } from '../../../cli/src/dashboard/api/action-bodies.js';
import { commandText } from './command-text.js';
import { readResumeForm, resumeFields, suggestedForm } from './resume-fields.js';

describe('the form of a resume', () => {
  it('has every change that the API knows, and no other', () => {
    const known = Object.keys(resumeBodySchema.shape).filter((name) => name !== 'by');
    expect(resumeFields.map(({ name }) => name).sort()).toEqual(known.sort());
  });

  it('is filled in with what is suggested, and becomes the same body', () => {
    const form = suggestedForm({ maxIterations: 50, deadline: ['review=1d'], useCurrent: true, unknown: 1 });
    expect(form).toEqual({ maxIterations: '50', deadline: 'review=1d', useCurrent: true });
    expect(readResumeForm(form)).toEqual({ body: { maxIterations: 50, deadline: ['review=1d'], useCurrent: true } });
  });

  it('leaves empty what a person has to say first', () => {
    expect(suggestedForm({ guidance: 'WHAT TO DO DIFFERENTLY' }, ['guidance'])).toEqual({ guidance: '' });
  });

  it('makes bodies that the API accepts', () => {
    const form = { cost: '0.5', tokens: '1000', without: ' a \n\nb', timeout: '90s', maxIterations: '' };
    const read = readResumeForm(form);
    expect(read).toEqual({ body: { cost: 0.5, tokens: 1000, without: ['a', 'b'], timeout: '90s' } });
    expect(resumeBodySchema.safeParse('body' in read && read.body).success).toBe(true);
  });

  it.each([
    ['maxIterations', '0', 'Iterations: a whole number above 0 is needed, not "0".'],
    ['maxIterations', '1.5', 'Iterations: a whole number above 0 is needed, not "1.5".'],
    ['cost', 'much', 'Cost in dollars: a number above 0 is needed, not "much".'],
    ['cost', '-1', 'Cost in dollars: a number above 0 is needed, not "-1".'],
  ])('refuses %s: %s', (name, typed, problem) => {
    expect(readResumeForm({ [name]: typed })).toEqual({ problem });
  });
});

describe('the command beside a form', () => {
  it('has an option for each value, quoted where a shell needs it', () => {
    const body = { maxIterations: 50, guidance: "don't stop", without: ['a', 'b'], useCurrent: true, skipGates: false };
    expect(commandText(['resume', 'r 1'], body)).toBe(
      "fullstop resume 'r 1' --max-iterations 50 --guidance 'don'\\''t stop' --without a --without b --use-current",
    );
  });
});
