/** Part of `npm run check`: prints the shape of the repository, and fails when a figure is beyond its limit. */
import { formatFigure, isBeyond, readShape } from './read-shape.js';

const figures = readShape();
for (const figure of figures) console.log(formatFigure(figure));
process.exitCode = figures.some(isBeyond) ? 1 : 0;
