/** Part of `npm run check`: prints the shape of the repository. */
import { formatFigure, readShape } from './read-shape.js';

for (const figure of readShape()) console.log(formatFigure(figure));
