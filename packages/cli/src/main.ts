#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { guardSignals } from './command-line/signal-gate.js';

guardSignals();

// Kept small: everything else is loaded only when it is needed.
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${(JSON.parse(manifest) as { readonly version: string }).version}\n`);
} else {
  const { dispatch } = await import('./command-line/dispatch.js');
  // A handle that someone else's code left open must not keep the program from ending.
  process.exit(await dispatch(args));
}
