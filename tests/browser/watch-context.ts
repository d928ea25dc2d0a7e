import type { BrowserContext } from 'playwright-core';

/** The problems in the pages of a context, in words and in order; empty as it should be. */
export type PageProblems = readonly string[];

/**
 * Collects errors on the console, uncaught errors and requests to hosts other than this machine, except those that match a pattern of `tolerates`.
 */
export function watchContext(context: BrowserContext, tolerates: readonly RegExp[]): PageProblems {
  const problems: string[] = [];
  const note = (problem: string): void => {
    if (!tolerates.some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  context.on('console', (message) => {
    if (message.type() === 'error') note(`console error: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => note(`page error: ${error.error().stack ?? error.error().message}`));
  context.on('request', (request) => {
    if (!isLocal(request.url())) note(`request to another host: ${request.method()} ${request.url()}`);
  });
  return problems;
}

function isLocal(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return ['data:', 'blob:', 'about:'].includes(protocol) || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
