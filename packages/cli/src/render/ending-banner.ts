import { shortCost, shortDuration } from '../journal/value-text.js';
import type { Style } from '../terminal/style.js';
import { oneLine, widthOf, wrapped } from '../terminal/wrap.js';
import type { Explanation } from '../why/explanation.js';
import { paint } from './ending-look.js';

export interface BannerLook {
  readonly style: Style;
  readonly columns: number;
  readonly code: number;
}

/** The last lines of a run on stderr: how it ended, why, and what to do. */
export function endingBanner(explanation: Explanation, { style, columns, code }: BannerLook): string {
  const { ending, headline, runId, durationMs = 0, costUsd, because, waiting, next } = explanation;
  const category = ending?.category;
  const facts = [
    `exit ${code}`,
    ...(category === undefined ? [] : [category]),
    `run ${runId}`,
    shortDuration(durationMs),
    ...(costUsd ? [shortCost(costUsd)] : []),
  ];
  const title = `${paint(category, style.glyphs ? '■' : '#', style)} ${style.bold(oneLine(headline))}`;
  const rest = style.dim(facts.join(' · '));
  const lines = [
    ...(widthOf(`${title}  ${rest}`) > columns ? [title, `  ${rest}`] : [`${title}  ${rest}`]),
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
