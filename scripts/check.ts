/** `npm run check`: the checks over the built packages. */
import { failingChecks, packageChecks } from './checks.js';

const failed = await failingChecks(packageChecks());
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
