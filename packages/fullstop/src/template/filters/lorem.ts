import { allowText } from '../evaluate/evaluation.js';
import { Markup, type Value } from '../value.js';

const words =
  'a ac ad amet ante arcu at augue commodo cras cum dapibus diam dictum dolor donec dui duis egestas eget elit enim erat eros est et eu fusce hac iaculis id in ipsum justo lacus leo libero ligula lorem magna massa mauris metus mi morbi nam nec nibh nisl non nulla nunc odio orci pede porta purus quam quis risus sed sem sit sodales tellus tortor turpis ut vel velit vitae'.split(
    ' ',
  );

/** How much filler text is wanted. */
export interface LoremOptions {
  readonly paragraphs: number;
  readonly html: boolean;
  readonly min: number;
  readonly max: number;
  readonly random: () => number;
}

/** Filler text; the words depend on the seed only. */
export function lorem({ html, max, min, paragraphs, random }: LoremOptions): Value {
  allowText(Math.max(0, paragraphs) * Math.max(0, min, max) * 8);
  const made: string[] = [];
  for (let index = 0; index < paragraphs; index += 1) {
    const text = paragraph(min + Math.floor(random() * Math.max(0, max - min)), random);
    made.push(html ? `<p>${text}</p>` : text);
  }
  return html ? new Markup(made.join('\n')) : made.join('\n\n');
}

function paragraph(length: number, random: () => number): string {
  let text = '';
  let begins = true;
  for (let index = 0; index < length; index += 1) {
    const word = words[Math.floor(random() * words.length)] ?? 'lorem';
    const last = index === length - 1;
    const ends = last || (index % 12 > 5 && random() < 0.3);
    text +=
      (index === 0 ? '' : ' ') + (begins ? word.charAt(0).toUpperCase() + word.slice(1) : word) + (ends ? '.' : '');
    begins = ends;
  }
  return text;
}
