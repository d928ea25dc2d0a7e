import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { monthEnd } from './custom-termination/month-end.js';

const folder = mkdtempSync(join(tmpdir(), 'fullstop-'));
const file = join(folder, 'runs.db');

const engine = sqliteEngine(file);
const result = await monthEnd.run(undefined, { engine, runId: 'may' });
console.log('written by process 1:', JSON.stringify(result.stage('reconcile').termination));
await engine.close();

const reader = join(import.meta.dirname, 'custom-termination', 'read.ts');
process.stdout.write(execFileSync(process.execPath, ['--import', 'tsx', reader, file, 'may'], { encoding: 'utf8' }));
rmSync(folder, { recursive: true });
