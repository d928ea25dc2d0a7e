import { sqliteEngine } from '../engines/sqlite/sqlite-engine.js';
import { killable } from './killable.fixture.js';

// A program of its own, which is to be killed.
const [file = '', effects = ''] = process.argv.slice(2);
sqliteEngine(file).worker([killable(effects, true)]);
