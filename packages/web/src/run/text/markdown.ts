/** A small Markdown: blocks and pieces as data. Whatever is not understood stays text; there is no way to markup from it. */
export type Block =
  | { readonly type: 'paragraph' | 'quote'; readonly pieces: readonly Piece[] }
  | { readonly type: 'heading'; readonly level: number; readonly pieces: readonly Piece[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Piece[])[] }
  | { readonly type: 'table'; readonly rows: readonly (readonly (readonly Piece[])[])[] }
  | { readonly type: 'rule' };

export type Piece =
  | { readonly type: 'text' | 'code' | 'strong' | 'emphasis' | 'deleted'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly address: string };

/** Reads a text as Markdown, line by line: the time it takes grows with its length and nothing else. */
export function readMarkdown(text: string): readonly Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; ) {
    const { block, next } = readBlock(lines, index);
    if (block !== undefined) blocks.push(block);
    index = Math.max(next, index + 1);
  }
  return blocks;
}

interface Read {
  readonly block?: Block;
  readonly next: number;
}

/** Backticks with another one on their line are code within that line. */
const openingFence = /^\s{0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const listMark = /^\s{0,6}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;

function readBlock(lines: readonly string[], index: number): Read {
  const line = lines[index] ?? '';
  if (line.trim() === '') return { next: index + 1 };
  const fence = openingFence.exec(line);
  if (fence !== null) {
    const [, ticks, language, tildes, other] = fence;
    return readCode(lines, index, { mark: ticks ?? tildes ?? '', language: (language ?? other ?? '').trim() });
  }
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading !== null)
    return {
      block: { type: 'heading', level: heading[1]?.length ?? 1, pieces: readPieces(heading[2] ?? '') },
      next: index + 1,
    };
  if (/^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return { block: { type: 'rule' }, next: index + 1 };
  if (listMark.test(line)) return readList(lines, index);
  if (isTable(lines, index)) return readTable(lines, index);
  if (line.startsWith('>')) return readQuote(lines, index);
  return readParagraph(lines, index);
}

function readCode(
  lines: readonly string[],
  index: number,
  { mark, language }: { readonly mark: string; readonly language: string },
): Read {
  let end = index + 1;
  while (end < lines.length && !closes(lines[end] ?? '', mark)) end += 1;
  return { block: { type: 'code', language, text: lines.slice(index + 1, end).join('\n') }, next: end + 1 };
}

/** A fence is closed by at least as many of its marks, alone on their line. */
function closes(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) && text === mark.charAt(0).repeat(text.length);
}

function readList(lines: readonly string[], index: number): Read {
  const items: (readonly Piece[])[] = [];
  const ordered = listMark.exec(lines[index] ?? '')?.[1] !== undefined;
  let next = index;
  for (let found = listMark.exec(lines[next] ?? ''); found !== null; found = listMark.exec(lines[next] ?? '')) {
    items.push(readPieces(found[2] ?? ''));
    next += 1;
  }
  return { block: { type: 'list', ordered, items }, next };
}

function isTable(lines: readonly string[], index: number): boolean {
  return (
    (lines[index] ?? '').includes('|') &&
    /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/.test(lines[index + 1] ?? '')
  );
}

function readTable(lines: readonly string[], index: number): Read {
  const rows = [cellsOf(lines[index] ?? '')];
  let next = index + 2;
  for (; (lines[next] ?? '').includes('|'); next += 1) rows.push(cellsOf(lines[next] ?? ''));
  return { block: { type: 'table', rows }, next };
}

function cellsOf(line: string): readonly (readonly Piece[])[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split('|').map((cell) => readPieces(cell.trim()));
}

function readQuote(lines: readonly string[], index: number): Read {
  let next = index;
  const quoted: string[] = [];
  for (; (lines[next] ?? '').startsWith('>'); next += 1) quoted.push((lines[next] ?? '').replace(/^>\s?/, ''));
  return { block: { type: 'quote', pieces: readPieces(quoted.join('\n')) }, next };
}

function readParagraph(lines: readonly string[], index: number): Read {
  let next = index + 1;
  while (next < lines.length && isContinued(lines[next] ?? '')) next += 1;
  return { block: { type: 'paragraph', pieces: readPieces(lines.slice(index, next).join('\n')) }, next };
}

function isContinued(line: string): boolean {
  return line.trim() !== '' && !openingFence.test(line) && !/^(#{1,6}\s|>)/.test(line) && !listMark.test(line);
}

const marks =
  /`([^`\n]{1,2000})`|\*\*([^*\n]{1,2000})\*\*|__([^_\n]{1,2000})__|~~([^~\n]{1,2000})~~|(?<![\w*])\*([^*\s][^*\n]{0,2000})\*(?!\w)|\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)/g;

/** Reads the marks inside a line. Only addresses of the web become links, and those name their address. */
export function readPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let last = 0;
  for (const found of text.matchAll(marks)) {
    const piece = pieceOf(found);
    if (piece === undefined) continue;
    if (found.index > last) pieces.push({ type: 'text', text: text.slice(last, found.index) });
    pieces.push(piece);
    last = found.index + found[0].length;
  }
  if (last < text.length) pieces.push({ type: 'text', text: text.slice(last) });
  return pieces;
}

function pieceOf([, code, strong, heavy, deleted, emphasis, label, address]: RegExpExecArray): Piece | undefined {
  if (code !== undefined) return { type: 'code', text: code };
  const bold = strong ?? heavy;
  if (bold !== undefined) return { type: 'strong', text: bold };
  if (deleted !== undefined) return { type: 'deleted', text: deleted };
  if (emphasis !== undefined) return { type: 'emphasis', text: emphasis };
  if (label === undefined || address === undefined || !/^https?:\/\//i.test(address)) return undefined;
  return { type: 'link', text: label, address };
}
