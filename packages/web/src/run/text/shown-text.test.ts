import { describe, expect, it } from 'vitest';
import { shownText } from './shown-text.js';

describe('shownText', () => {
  it('drops the codes of terminals', () => {
    expect(shownText('a \u001b[31mred\u001b[0m b \u001b]8;;http://x\u0007link')).toBe('a red b link');
  });

  it('shows characters that would turn the direction of the page or act otherwise', () => {
    expect(shownText('pay \u202egnp.exe\u0000')).toBe('pay \\u202egnp.exe\\u0000');
  });

  it('leaves right-to-left letters, line breaks and tabs as they are', () => {
    expect(shownText('שלום\n\tمرحبا')).toBe('שלום\n\tمرحبا');
  });
});
