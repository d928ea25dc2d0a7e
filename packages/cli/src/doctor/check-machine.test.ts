import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workflowFile } from '../workflow/workflow-file.js';
import { checkStore } from './check-machine.js';

// A link to itself is there and cannot be looked at, also by a user who may look at everything.
const folder = mkdtempSync(join(tmpdir(), 'fullstop-doctor-'));
const file = join(folder, 'runs.db');
symlinkSync(file, file);

describe('a file that cannot be looked at', () => {
  it('is no missing store', async () => {
    expect(await checkStore({ file, origin: '--store', beside: '' })).toEqual([
      {
        name: 'store',
        status: 'bad',
        found: `${file} (--store) cannot be used`,
        todo: `${file} cannot be used (stat): its links lead back to themselves.`,
      },
    ]);
    expect(await checkStore({ file: join(folder, 'none.db'), origin: '--store', beside: '' })).toMatchObject([
      { status: 'note', found: `${join(folder, 'none.db')} (--store) does not exist yet` },
    ]);
  });

  it('is no missing workflow', () => {
    expect(() => workflowFile(file, folder)).toThrow('ELOOP');
    expect(() => workflowFile('none.yaml', folder)).toThrow('There is no file none.yaml.');
  });
});
