/** A line of a chart: one contender, with a point for each size. */
export interface ChartLine {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const width = 760;
const height = 420;
const edge = { left: 70, right: 210, top: 40, bottom: 50 };
const colours = ['#6b7280', '#0f766e', '#14b8a6', '#1d4ed8', '#b45309', '#d97706', '#7c3aed', '#be185d', '#b91c1c'];

/** Draws lines over two logarithmic axes, with the names at their ends. */
export function drawChart(title: string, lines: readonly ChartLine[]): string {
  const points = lines.flatMap((line) => line.points);
  const across = scale(
    points.map(({ x }) => x),
    edge.left,
    width - edge.right,
  );
  const up = scale(
    points.map(({ y }) => y),
    height - edge.bottom,
    edge.top,
  );
  const sizes = [...new Set(points.map(({ x }) => x))].sort((one, other) => one - other);
  const names = spread(lines.map(({ points: own }) => up(own.at(-1)?.y ?? 1)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${title}</title><rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${edge.left}" y="22" font-size="14" font-weight="600">${title}</text>`,
    ...powersBetween(points.map(({ y }) => y)).map(
      (value) =>
        `<path d="M${edge.left} ${up(value).toFixed(1)}H${width - edge.right}" stroke="#e5e7eb"/><text x="${edge.left - 8}" y="${(up(value) + 4).toFixed(1)}" text-anchor="end">${value.toLocaleString('en')}</text>`,
    ),
    ...sizes.map(
      (size) =>
        `<text x="${across(size).toFixed(1)}" y="${height - edge.bottom + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    `<text x="${(edge.left + width - edge.right) / 2}" y="${height - 10}" text-anchor="middle">steps per run</text>`,
    ...lines.map(({ name, points: own }, index) => {
      const colour = colours[index % colours.length];
      const path = own.map(({ x, y }) => `${across(x).toFixed(1)} ${up(y).toFixed(1)}`).join('L');
      return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/><text x="${width - edge.right + 8}" y="${((names[index] ?? 0) + 4).toFixed(1)}" fill="${colour}">${name}</text>`;
    }),
    '</svg>\n',
  ].join('\n');
}

function scale(values: readonly number[], from: number, to: number): (value: number) => number {
  const low = Math.log10(Math.min(...values));
  const span = Math.log10(Math.max(...values)) - low || 1;
  return (value) => from + ((Math.log10(value) - low) / span) * (to - from);
}

function powersBetween(values: readonly number[]): readonly number[] {
  const first = Math.ceil(Math.log10(Math.min(...values)));
  const last = Math.floor(Math.log10(Math.max(...values)));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => 10 ** (first + index));
}

/** Moves labels apart that would lie on each other. */
function spread(heights: readonly number[]): readonly number[] {
  const order = heights.map((_, index) => index).sort((one, other) => (heights[one] ?? 0) - (heights[other] ?? 0));
  const placed = [...heights];
  let above = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    placed[index] = Math.max(heights[index] ?? 0, above + 15);
    above = placed[index] ?? above;
  }
  return placed;
}
