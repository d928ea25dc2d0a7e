/** `npm run test:adapters`: the conformance table on every framework; the result is committed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentCommit } from '../../scripts/current-commit.js';
import { root } from '../../scripts/published-packages.js';
import { runSuite } from '../../scripts/test-suite.js';

process.env['FULLSTOP_ADAPTERS'] = 'all';
const { passed, failed, skipped, failures } = await runSuite('adapters');
const result = { commit: currentCommit(), date: new Date().toISOString(), passed, failed, skipped, failures };
writeFileSync(join(root, 'tests/adapters/last-result.json'), `${JSON.stringify(result, undefined, 2)}\n`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
