// Matching control sequences is what this is for.
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const sequences = /\u001b\[[0-9;]*m/g;

/** How many columns a text takes; control sequences take none, and wide characters two. */
export function widthOf(text: string): number {
  const plain = text.replace(sequences, '');
  let width = 0;
  for (const character of plain) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/^\p{Mn}$/u.test(character)) return 0;
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff);
  return isWide ? 2 : 1;
}

/** The text in lines of at most this width, broken between words where possible. */
export function wrapped(text: string, columns: number): readonly string[] {
  const width = Math.max(columns, 10);
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (widthOf(longer) <= width) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      line = word;
      while (widthOf(line) > width) {
        const head = beginning(line, width);
        lines.push(head);
        line = line.slice(head.length);
      }
    }
    lines.push(line);
  }
  return lines;
}

/** As much of a plain text as fits, at least one character. */
function beginning(text: string, columns: number): string {
  let kept = '';
  for (const character of text) {
    if (kept !== '' && widthOf(kept + character) > columns) break;
    kept += character;
  }
  return kept;
}

/** The beginning of a text that fits, with a mark where something was left out. */
export function fitted(text: string, columns: number, mark = '…'): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text.replace(sequences, '')) {
    width += widthOfCharacter(character);
    if (width > columns - mark.length) break;
    kept += character;
  }
  return kept + mark;
}

/** Both ends of a plain text that fits, with a mark between them: names differ at their ends. */
export function fittedInside(text: string, columns: number, mark = '…'): string {
  const characters = [...text];
  if (widthOf(text) <= columns) return text;
  const room = Math.max(2, columns - mark.length);
  const head = beginning(text, Math.floor(room / 3));
  let tail = '';
  for (const character of characters.toReversed()) {
    if (widthOf(head) + widthOf(character + tail) > room) break;
    tail = character + tail;
  }
  return head + mark + tail;
}

/** The text padded with spaces to a width. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** The text with spaces before it up to a width. */
export function paddedLeft(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text;
}
