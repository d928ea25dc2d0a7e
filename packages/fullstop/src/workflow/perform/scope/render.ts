import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { compileTemplate, type TemplateLoader } from '../../../template/compile-template.js';
import type { Runtime } from '../runtime.js';
import type { Rendering } from './rendering.js';
import { withPlace } from './with-place.js';

/** Renders a text of the file. */
export function render(rendering: Rendering, source: string): string {
  if (isPlain(source)) return source;
  const { runtime, scope, turn } = rendering;
  try {
    return compileTemplate(source).render(scope, { seed: runtime.seed + turn });
  } catch (error) {
    throw withPlace(error, rendering, source);
  }
}

/** Most texts have nothing to render; a carriage return would be made a line feed. */
function isPlain(source: string): boolean {
  return !source.includes('{') && !source.includes('\r');
}

/** Renders a text that `!file` took from a file: it may include others beside it. */
export function renderFileText(rendering: Rendering, source: string, file: string | undefined): string {
  if (isPlain(source)) return source;
  const { runtime, scope, turn } = rendering;
  const options = file === undefined ? {} : { name: file, loader: loaderFor(runtime, file) };
  try {
    return compileTemplate(source, options).render(scope, { seed: runtime.seed + turn });
  } catch (error) {
    throw withPlace(error, rendering, source);
  }
}

function loaderFor({ environment, loaded }: Runtime, file: string): TemplateLoader {
  const directory = dirname(isAbsolute(file) ? file : resolve(dirname(loaded.file), file));
  return {
    searched: directory,
    load(name) {
      const path = resolve(directory, name);
      const inside = relative(directory, path);
      if (inside.startsWith('..') || isAbsolute(inside)) return undefined;
      return environment.readPartial(path);
    },
  };
}
