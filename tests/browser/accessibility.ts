import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The part of a finding of axe that a person needs. */
interface AxeFinding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The problems that keep people from using the page, as axe finds them (WCAG 2.2 A and AA), in words; empty as it should be. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  const program = `axe.run(document, { runOnly: ${JSON.stringify(standards)} }).then(({ violations }) => violations)`;
  const findings = await page.evaluate<readonly AxeFinding[]>(program);
  return findings.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html}\n${node.failureSummary ?? ''}`),
  );
}
