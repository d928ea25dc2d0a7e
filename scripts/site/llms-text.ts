import type { SitePage } from './site-pages.js';

const introduction = `# Fullstop

> Every run of an agent, pipeline, convergence or workflow ends with exactly one typed termination: why it stopped, with evidence, a category that says what to do
> next, a tag for dashboards and a JSON form. A TypeScript library, a command line and a dashboard.
`;

/** The list of pages, for assistants: https://llmstxt.org describes its form. */
export function llmsText(pages: readonly SitePage[]): string {
  const lines = pages.map(({ path, title, summary }) => `- [${title}](${path})${summary === '' ? '' : `: ${summary}`}`);
  return [introduction, '## Pages', '', ...lines, ''].join('\n');
}

/** All pages in one text. */
export function llmsFullText(pages: readonly SitePage[]): string {
  return [introduction, ...pages.map(({ text }) => text.trim()), ''].join('\n\n');
}
