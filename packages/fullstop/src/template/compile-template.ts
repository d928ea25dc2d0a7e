import { evaluating } from './evaluate/evaluation.js';
import { type Context, type Execute, Frame, type LoadedTemplate, type Names, scopeNames } from './evaluate/frame.js';
import { Output } from './evaluate/output.js';
import { globals } from './library/globals.js';
import type { Reference } from './reference.js';
import type { Scope } from './scope.js';
import { TemplateError } from './template-error.js';
import { compileUnit, type TemplateUnit } from './template-unit.js';

export type { Reference } from './reference.js';

/** Finds the templates that `include`, `import` and `extends` name. */
export interface TemplateLoader {
  /** The text of a template, or undefined when there is none; the name has no `..` in it. */
  load(name: string): string | undefined;
  /** Where it looks, for the message about a template that is missing. */
  readonly searched: string;
}

/** How one rendering is done. */
export interface RenderOptions {
  /** Where `random`, `lipsum` and `rand()` start; the same seed makes the same text. */
  readonly seed?: number;
}

/** How a template is compiled. */
export interface CompileOptions {
  /** The name of the template in errors. */
  readonly name?: string;
  /** Without one, `include`, `import` and `extends` fail. */
  readonly loader?: TemplateLoader;
}

/** A compiled template. */
export interface Template {
  render(scope: Scope, options?: RenderOptions): string;
  readonly references: readonly Reference[];
}

/** Compiled texts are kept, the oldest given up first. */
const cacheSize = 500;
const units = new Map<string, TemplateUnit>();

function unitOf(source: string, name: string | undefined): TemplateUnit {
  const key = name === undefined ? source : `${name}\u0000${source}`;
  const known = units.get(key);
  if (known !== undefined) return known;
  const unit = compileUnit(source, name);
  if (units.size >= cacheSize) units.delete(units.keys().next().value ?? '');
  units.set(key, unit);
  return unit;
}

/** Templates without a loader are the same for everyone who has the same text. */
const templates = new WeakMap<TemplateUnit, Template>();

/** Compiles a template; throws a `TemplateError` when it cannot be one. */
export function compileTemplate(source: string, options: CompileOptions = {}): Template {
  const unit = unitOf(source, options.name);
  if (options.loader !== undefined) return templateOf(unit, options.loader);
  const known = templates.get(unit);
  if (known !== undefined) return known;
  const template = templateOf(unit, undefined);
  templates.set(unit, template);
  return template;
}

function templateOf(unit: TemplateUnit, loader: TemplateLoader | undefined): Template {
  return {
    render: (scope, { seed = 0 } = {}) => evaluating(seed, () => render(unit, scope, loader)),
    get references() {
      return unit.references;
    },
  };
}

const globalNames: Names = { lookup: (name) => globals.get(name) };

function render(unit: TemplateUnit, scope: Scope, loader: TemplateLoader | undefined): string {
  const blocks = new Map<string, Execute[]>();
  for (const [name, block] of unit.blocks) blocks.set(name, [block]);
  const context: Context = {
    names: scopeNames(scope, globals),
    blocks,
    load: (name) => load(name, loader),
    globals: globalNames,
    parent: undefined,
  };
  const out = new Output();
  try {
    unit.run(new Frame(context, undefined), out);
  } catch (error) {
    throw withSearched(error, loader);
  }
  return out.text;
}

function load(name: string, loader: TemplateLoader | undefined): LoadedTemplate | undefined {
  const text = loader?.load(name);
  return text === undefined ? undefined : unitOf(text, name);
}

const needsFile =
  'Template rendering failed: loader-dependent Jinja constructs ({% include %}, {% import %}, {% extends %}) require a file-backed prompt via prompt: !file ...';

/** Says where a missing template was looked for, or that there is nowhere to look. */
function withSearched(error: unknown, loader: TemplateLoader | undefined): unknown {
  if (!(error instanceof TemplateError) || error.reason !== 'load' || error.errorType !== 'TemplateNotFound')
    return error;
  const message = loader === undefined ? needsFile : `${error.message}. Searched in: ${loader.searched}`;
  return new TemplateError(message, error, { cause: error });
}
