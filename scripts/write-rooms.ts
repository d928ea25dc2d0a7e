/** `npm run rooms`: writes the linted walls, and the table of ARCHITECTURE.md, from the table of rooms. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRules } from './import-rules.js';
import { root } from './published-packages.js';
import { withRoomsTable } from './rooms-table.js';
import { runCommand } from './run-command.js';

writeFileSync(join(root, 'biome.imports.json'), JSON.stringify(importRules()));
process.exitCode = await runCommand(['biome', 'format', '--write', 'biome.imports.json']);

const map = join(root, 'ARCHITECTURE.md');
writeFileSync(map, withRoomsTable(readFileSync(map, 'utf8')));
