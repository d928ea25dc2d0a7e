import { bestPoint, type Sweep, type SweepPoint } from '../what-if/sweep.js';
import { keptShare, limitText, savedShare } from './what-if-text.js';

const [width, height] = [720, 360];
const box = { left: 56, right: width - 20, top: 44, bottom: height - 48 };

/** The trade-off curve as a picture: results kept and cost saved over the limit. */
export function sweepSvg({ name, values }: Sweep, points: readonly SweepPoint[]): string {
  const [first = 0, last = 1] = [values[0], values.at(-1)];
  const x = (value: number): number =>
    box.left + ((value - first) / Math.max(last - first, 1e-9)) * (box.right - box.left);
  const y = (ratio: number): number => box.bottom - ratio * (box.bottom - box.top);
  const line = (share: (point: SweepPoint) => number): string =>
    points.map((point) => `${x(point.value).toFixed(1)},${y(share(point)).toFixed(1)}`).join(' ');
  const best = bestPoint(points);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (ratio) =>
      `<line x1="${box.left}" x2="${box.right}" y1="${y(ratio)}" y2="${y(ratio)}" class="grid"/><text x="${box.left - 8}" y="${y(ratio) + 4}" text-anchor="end">${ratio * 100}%</text>`,
  );
  const ticks = [first, first + (last - first) / 2, last].map(
    (value) =>
      `<text x="${x(value).toFixed(1)}" y="${box.bottom + 20}" text-anchor="middle">${escaped(limitText(name, Number(value.toPrecision(6))))}</text>`,
  );
  const mark =
    best === undefined
      ? ''
      : `<line x1="${x(best.value)}" x2="${x(best.value)}" y1="${box.top}" y2="${box.bottom}" class="best"/><text x="${x(best.value)}" y="${box.top - 8}" text-anchor="middle">${escaped(limitText(name, best.value))}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="What other limits of ${name} would have kept and saved">
<style>text{font:12px system-ui,sans-serif;fill:#57606a}.grid{stroke:#d0d7de}.best{stroke:#57606a;stroke-dasharray:4}.kept{fill:none;stroke:#1a7f37;stroke-width:2}.saved{fill:none;stroke:#bf8700;stroke-width:2}</style>
<rect width="${width}" height="${height}" fill="#fff"/>
${grid.join('\n')}
${ticks.join('\n')}
<text x="${(box.left + box.right) / 2}" y="${height - 8}" text-anchor="middle">${escaped(name)} (${points[0]?.runs ?? 0} runs)</text>
<polyline class="kept" points="${line(keptShare)}"/><polyline class="saved" points="${line(savedShare)}"/>
<text x="${box.left}" y="20" style="fill:#1a7f37">results kept</text><text x="${box.left + 100}" y="20" style="fill:#bf8700">saved</text>
${mark}
</svg>
`;
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
