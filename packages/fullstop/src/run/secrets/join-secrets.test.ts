import { expect, it } from 'vitest';
import { environmentSecrets } from './environment-secrets.js';
import { growingSecrets } from './growing-secrets.js';
import { joinSecrets } from './join-secrets.js';
import { createSecrets } from './secrets.js';

const one = createSecrets({ ONE: 'first-value' });
const two = createSecrets({ TWO: 'second-value' });

it('joined secrets seal, unseal and mask what each of them does', () => {
  const both = joinSecrets(one, undefined, two);
  const sealed = both?.seal('first-value and second-value');
  expect(sealed).toBe('{{secret:ONE}} and {{secret:TWO}}');
  expect(both?.unseal(sealed)).toBe('first-value and second-value');
  expect(both?.mask(sealed)).toBe('‹ONE› and ‹TWO›');
  expect(both?.names).toEqual(['ONE', 'TWO']);
});

it('those that are there already add nothing, and none are none', () => {
  const both = joinSecrets(one, two);
  expect(joinSecrets(both, one, two, createSecrets({ ONE: 'first-value' }))).toBe(both);
  expect(joinSecrets(undefined, one)).toBe(one);
  expect(joinSecrets(undefined)).toBeUndefined();
});

it('one name with two values is refused: a call would be made with the secret of another', () => {
  expect(() => joinSecrets(one, createSecrets({ ONE: 'another-value' }))).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining('named ONE') }),
  );
});

it('what is only hidden is no second value of a name', () => {
  const hidden = environmentSecrets({ API_KEY: 'key-of-the-environment' });
  const own = createSecrets({ API_KEY: 'key-of-the-caller' });
  for (const both of [joinSecrets(hidden, own), joinSecrets(own, hidden)]) {
    expect(both?.mask('key-of-the-environment key-of-the-caller')).toBe('‹API_KEY› ‹API_KEY›');
    expect(both?.unseal('{{secret:API_KEY}}')).toBe('key-of-the-caller');
  }
});

it('what is added to one of them later is sealed too', () => {
  const empty = growingSecrets(undefined);
  const both = joinSecrets(one, empty);
  const more = joinSecrets(both, growingSecrets(undefined));
  empty.add(two);
  for (const all of [both, more, joinSecrets(two, both)]) {
    expect(all?.seal('first-value and second-value')).toBe('{{secret:ONE}} and {{secret:TWO}}');
    expect(all?.names.toSorted()).toEqual(['ONE', 'TWO']);
  }
});

it('one name with two values is refused also where the second comes later, before a call is made with one of them', () => {
  const empty = growingSecrets(undefined);
  const both = joinSecrets(one, empty);
  empty.add(createSecrets({ ONE: 'another-value' }));
  expect(both?.seal('another-value')).toBe('{{secret:ONE}}');
  expect(() => both?.unseal('{{secret:ONE}}')).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
});
