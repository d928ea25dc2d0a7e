import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { findDriver } from './driver/driver.js';
import { sqliteEngine } from './sqlite-engine.js';

// A program of its own: opens a file as a user without rights and says what came of it.

findDriver();
const nobody = 65534;
if (process.getuid?.() === 0) {
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
try {
  sqliteEngine(process.argv[2] as string);
  process.stdout.write('opened');
} catch (error) {
  process.stdout.write(FullstopError.is(error) ? `${error.code} ${error.message}` : String(error));
}
