/** Colours for a terminal; each function returns its text unchanged where there are none. */
export interface Style {
  readonly colours: boolean;
  /** False where only ASCII is safe. */
  readonly glyphs: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export function makeStyle(colours: boolean, glyphs = true): Style {
  const paint =
    ([open, close]: readonly [number, number]) =>
    (text: string): string =>
      colours && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  const painters = Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, paint(code)]));
  return { colours, glyphs, ...(painters as unknown as Omit<Style, 'colours' | 'glyphs'>) };
}

const inAscii: Readonly<Record<string, string>> = { '·': '-', '…': '...', '×': 'x', '→': '>', '←': '<-' };

/** Text of ours for a terminal that may know nothing but ASCII. */
export function shownWith({ glyphs }: Style, text: string): string {
  return glyphs ? text : text.replace(/[·…×→←]/g, (sign) => inAscii[sign] ?? sign);
}

export interface ColourQuestion {
  /** `--color`. */
  readonly wish: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** Whether to use colours: the option first, then NO_COLOR and FORCE_COLOR, then whether anyone is there to see them. */
export function wantsColours({ wish, env, isTerminal }: ColourQuestion): boolean {
  if (wish === 'always') return true;
  if (wish === 'never' || isSet(env['NO_COLOR'])) return false;
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0';
  return isTerminal && env['TERM'] !== 'dumb';
}

/** Whether more than ASCII can be shown. */
export function wantsGlyphs(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux') return false;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return locale === undefined || locale === '' || !/^(C|POSIX)$/.test(locale);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
