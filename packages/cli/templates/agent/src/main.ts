import { mkdirSync } from 'node:fs';
import { describe, matchCategory } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { chooseModel, defineBuyer } from './agent.js';

// Where the command line looks for runs: `npx fullstop why`, `npx fullstop dashboard --open`.
mkdirSync('.fullstop', { recursive: true });
const engine = sqliteEngine('.fullstop/runs.db');

const buyer = defineBuyer(chooseModel());
const result = await buyer.run('Which supplier of steel is the cheapest?', { engine });

const words = matchCategory(result.termination, {
  success: () => result.text,
  capacity: () => `It needs more than it was given: npx fullstop resume ${result.runId}`,
  paused: () => `It waits for an answer: npx fullstop answer ${result.runId}`,
  retryable: () => `It may work in ${result.retryAfterMs ?? 60_000} ms.`,
  cancelled: () => 'It was cancelled.',
  fatal: () => 'Somebody has to look at it.',
});
console.log(`${result.termination.kind} · ${describe(result.termination)}\n${words}`);
await engine.close();
process.exitCode = result.category === 'success' ? 0 : 1;
