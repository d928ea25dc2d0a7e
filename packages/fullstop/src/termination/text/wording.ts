/** `1 iteration`, `25 iterations`: a count with its noun. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,234,567`: grouped by hand, because the locale of the process must not change a stored sentence. */
export function grouped(value: number): string {
  // Most counts are small, and every ending is worded.
  if (Number.isInteger(value) && value > -1000 && value < 1000) return String(value);
  const [whole = '', fraction] = String(value).split('.');
  if (!/^-?\d+$/.test(whole)) return String(value);
  const spaced = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

/** `$2.50`, or more digits where cents would hide the amount. */
export function dollars(amount: number): string {
  const digits = amount < 0.1 ? 3 : 2;
  if (amount === 0 || amount >= 0.01) return `$${grouped(Number(amount.toFixed(digits))).replace(/\.(\d)$/, '.$10')}`;
  return `$${Number(amount.toPrecision(2))}`;
}

/** `450 ms`, `12.5 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(milliseconds: number): string {
  const rounded = Math.round(milliseconds);
  if (rounded < 1000) return `${rounded} ms`;
  if (Math.round(rounded / 100) < 600) return `${Math.round(rounded / 100) / 10} s`;
  const seconds = Math.round(rounded / 1000);
  if (seconds < 3600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

/** `80%`. */
export function percent(ratio: number): string {
  return `${Number((ratio * 100).toFixed(1))}%`;
}

/** `a, b and 3 more`: a list that stays readable however long it is. */
export function listed(items: readonly string[], most = 3): string {
  if (items.length === 0) return 'none';
  const shown = items.slice(0, most);
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${grouped(rest)} more`;
  const last = shown.pop() as string;
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** The text on one line, without its closing full stop, cut where a sentence would become unreadable. */
export function inline(text: string, most = 300): string {
  const flat = oneLine(text.slice(0, most * 4)).replace(/\.$/, '');
  return flat.length > most ? `${head(flat, most).trimEnd()}…` : flat;
}

/** `: a, b and c`, or nothing for an empty list: the end of a sentence. */
export function colonList(items: readonly string[], most?: number): string {
  return items.length === 0 ? '' : `: ${listed(items, most)}`;
}

/** `: the reason`, or nothing where no reason was given: the end of a sentence. */
export function colonText(text: string | undefined): string {
  const flat = inline(text ?? '');
  return flat === '' ? '' : `: ${flat}`;
}

const longestSentence = 2000;

/** One line that closes with a full stop, whatever names and messages it contains. */
export function sentence(text: string): string {
  const flat = inline(text, longestSentence);
  return /[!?]$/.test(flat) ? flat : `${flat}.`;
}

/** The text without what is beyond a length, with a mark that says how much that is. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = head(text, longest);
  return `${kept}… [cut: ${grouped(text.length - kept.length)} more characters]`;
}

/** The beginning of a text; a character made of two code units is never split. */
export function head(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

// Control characters go too: a sentence is printed to terminals, which must not obey an error message.
/** Words of printable ASCII with one space between them. */
const isOneLine = /^[!-~]+(?: [!-~]+)*$/;

function oneLine(text: string): string {
  if (isOneLine.test(text)) return text;
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${grouped(large)} ${largeUnit}` : `${grouped(large)} ${largeUnit} ${small} ${smallUnit}`;
}
