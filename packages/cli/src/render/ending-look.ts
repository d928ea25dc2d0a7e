import type { Category } from 'fullstop';
import type { Style } from '../terminal/style.js';

/** The sign in front of an ending. */
export function signOf(category: Category | undefined, style: Style): string {
  const [glyph, letter] = category === undefined ? ['•', '-'] : signs[category];
  return paint(category, style.glyphs ? glyph : letter, style);
}

/** The same sign without colours, for pages that draw their own. */
export function glyphOf(category: Category | undefined): string {
  return category === undefined ? '•' : signs[category][0];
}

const signs: Readonly<Record<Category, readonly [glyph: string, letter: string]>> = {
  success: ['✓', 'ok'],
  paused: ['‖', '||'],
  cancelled: ['⊘', 'x'],
  capacity: ['◆', '!'],
  retryable: ['↻', '~'],
  fatal: ['✗', 'X'],
};

/** A text in the colour of a category. */
export function paint(category: Category | undefined, text: string, style: Style): string {
  switch (category) {
    case 'success':
      return style.green(text);
    case 'paused':
      return style.blue(text);
    case 'capacity':
      return style.yellow(text);
    case 'retryable':
      return style.magenta(text);
    case 'fatal':
      return style.red(text);
    case 'cancelled':
    case undefined:
      return style.dim(text);
    default:
      return text;
  }
}
