import { sqliteEngine } from '../../engines/sqlite/sqlite-engine.js';
import { travelling } from './elsewhere.fixture.js';

// A program of its own, which executes what another one follows.
const [file = ''] = process.argv.slice(2);
sqliteEngine(file).worker([travelling()]);
