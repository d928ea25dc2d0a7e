#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { guardSignals } from './command-line/signal-gate.js';

guardSignals();

// Kept small: everything else is loaded only when it is needed.
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${(JSON.parse(manifest) as { readonly version: string }).version}\n`);
} else {
  keepCompiledCode();
  const { dispatch } = await import('./command-line/dispatch.js');
  // A handle that someone else's code left open must not keep the program from ending.
  process.exit(await dispatch(args));
}

/**
 * Keeps compiled code for the next start, from Node 22 on; NODE_DISABLE_COMPILE_CACHE=1 turns it off. In a folder of the user's
 * own: whoever can write there decides which code runs.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && join(HOME, '.cache'));
  if (caches) enableCompileCache?.(join(caches, 'fullstop', 'compiled'));
}
