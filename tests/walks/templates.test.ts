import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { templateTable } from '../../packages/cli/src/setup/templates.js';
import { Walker } from './follow-walk.js';
import { readWalk } from './read-walk.js';

describe.each(Object.keys(templateTable))('the template %s', (template) => {
  test('is a project that runs, tests and type-checks at once, as its README says', async () => {
    const walker = new Walker(inject('walkTools'));
    try {
      await walker.run(`npm install --global @fullstop/cli && fullstop init project --template ${template}`);
      const readme = readFileSync(join(walker.folder, 'project/README.md'), 'utf8');
      const runs = readWalk(readme).filter((step) => step.type === 'run');
      const scripts = runs.map(({ script }) => script);
      for (const command of ['npm install', 'npm test', 'npm run check']) expect(scripts.join('')).toContain(command);
      const printed = await walker.run(`cd project\n${scripts.join('\n')}`);
      expect(printed).toMatch(/^# fail 0$|^ℹ fail 0$/m);
      expect(printed).toMatch(/^# pass [1-9]|^ℹ pass [1-9]/m);
    } finally {
      walker.remove();
    }
  });
});
