import { shortCost, shortDuration } from '../journal/value-text.js';
import { oneLine } from '../terminal/foreign-text.js';
import type { Style } from '../terminal/style.js';
import { widthOf, wrapped } from '../terminal/wrap.js';
import type { Explanation } from '../why/explanation.js';
import { paint } from './ending-look.js';

export interface BannerLook {
  readonly style: Style;
  readonly columns: number;
  readonly code: number;
  /** Whether long sentences are broken between words; programs want them whole. */
  readonly wraps?: boolean;
}

/** The last lines of a run on stderr: how it ended, why, and what to do. */
export function endingBanner(explanation: Explanation, { style, columns, code, wraps = false }: BannerLook): string {
  const { ending, headline, runId, durationMs = 0, costUsd, estimated, because, waiting, next } = explanation;
  const category = ending?.category;
  const facts = [
    `exit ${code}`,
    ...(category === undefined ? [] : [category]),
    `run ${runId}`,
    shortDuration(durationMs),
    ...(costUsd === undefined || costUsd === 0 ? [] : [shortCost(costUsd, estimated)]),
  ];
  const sign = paint(category, style.glyphs ? '■' : '#', style);
  const [first = '', ...more] = wraps ? wrapped(oneLine(headline), columns - 2) : [oneLine(headline)];
  const title = `${sign} ${style.bold(first)}`;
  const rest = style.dim(facts.join(' · '));
  const fits = more.length === 0 && widthOf(`${title}  ${rest}`) <= columns;
  const lines = [
    ...(fits ? [`${title}  ${rest}`] : [title, ...more.map((line) => `  ${style.bold(line)}`), `  ${rest}`]),
    ...(ending?.outcome === 'succeeded'
      ? []
      : because.flatMap((line) => wrapped(line, columns - 4)).map((line) => `  ${line}`)),
    ...waiting.map(
      ({ id, question, choices }) =>
        `  ${style.bold(id)}: ${oneLine(question)}${choices.length === 0 ? '' : ` [${choices.join(' | ')}]`}`,
    ),
    ...(category === 'success'
      ? []
      : next.flatMap(({ text, command }) =>
          command === undefined ? [] : [`  ${style.dim(`${text}:`)} ${style.cyan(command)}`],
        )),
  ];
  return `${lines.join('\n')}\n`;
}
