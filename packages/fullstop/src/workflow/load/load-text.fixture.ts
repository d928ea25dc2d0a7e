import {
  type LoadedDocument,
  type LoadOptions,
  type LoadResult,
  loadDocument,
  type WorkflowProblem,
} from './load-document.js';

/** Loads a text as `/flow/workflow.yaml`, next to the given files and to nothing else. */
export function loadText(
  text: string,
  options: Omit<LoadOptions, 'file' | 'text' | 'readFile'> & { readonly files?: Readonly<Record<string, string>> } = {},
): LoadResult {
  const { files = {}, ...rest } = options;
  return loadDocument({
    file: '/flow/workflow.yaml',
    text,
    env: {},
    ...rest,
    readFile: (path) => {
      const found = files[path.replace('/flow/', '')];
      if (found === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
      return found;
    },
  });
}

/** The loaded document; fails the test when there are problems. */
export function loadGood(text: string, options: Parameters<typeof loadText>[1] = {}): LoadedDocument {
  const result = loadText(text, options);
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 2));
  return result.loaded;
}

/** The errors of a text, or its warnings when it has no errors. */
export function problemsOf(text: string, options: Parameters<typeof loadText>[1] = {}): readonly WorkflowProblem[] {
  const result = loadText(text, options);
  return result.ok ? result.loaded.warnings : result.problems;
}

/** A file with the given steps, one YAML mapping each, where the first one is the entry. */
export function workflowOf(...steps: readonly string[]): string {
  const name = /name: (\w+)/.exec(steps[0] ?? '')?.[1] ?? 'a';
  return [`workflow: {name: w, entry_point: ${name}}`, 'agents:', ...steps.map((step) => `  - ${step}`)].join('\n');
}
