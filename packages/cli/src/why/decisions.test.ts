import { describe, expect, it } from 'vitest';
import { decisionText } from './decisions.js';

describe('decisionText', () => {
  it.each([
    ['__skip_all__', 'maria chose Skip all at q.a'],
    ['__back__', 'maria chose Back at q.a'],
    ['__skip_gates__', 'maria chose Skip gates at q.a'],
    ['reject', 'maria chose reject at q.a'],
    ['__init', 'maria chose __init at q.a'],
  ])('says %s as people know it', (value, text) => {
    expect(decisionText({ requestId: 'q.a', decision: 'value', value, by: 'maria', at: 1 })).toBe(text);
  });
});
