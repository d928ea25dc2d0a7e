import { sqliteEngine } from '../engines/sqlite/sqlite-engine.js';
import { loadWorkflow } from './load-workflow.js';

// A program of its own, which is to be killed.
const [file = '', store = ''] = process.argv.slice(2);
await loadWorkflow(file).run({}, { engine: sqliteEngine(store), runId: 'r' });
