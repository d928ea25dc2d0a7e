import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseScript } from '../models/parse-script.js';
import { scriptedModel } from '../models/scripted-model.js';
import type { JsonObject } from '../termination/json.js';
import { loadWorkflow } from './load-workflow.js';

const folder = join(import.meta.dirname, '../../../../examples/workflows');

interface ExampleRun {
  readonly example: string;
  readonly scripted?: string;
  readonly inputs: JsonObject;
  readonly ending: JsonObject;
  readonly output?: JsonObject;
  readonly skipGates?: boolean;
  readonly needs?: 'build';
}

const runs = JSON.parse(readFileSync(join(folder, 'runs.json'), 'utf8')) as readonly ExampleRun[];

describe('the example workflows', () => {
  // Modules of examples import the library as it is published, which unit tests do not build.
  const isBuilt = existsSync(join(folder, '../../packages/fullstop/dist/pipeline/index.js'));
  it.each(runs.filter(({ needs }) => needs === undefined || isBuilt))(
    '$example with $inputs ends as $ending.kind',
    async (run) => {
      const script = run.scripted === undefined ? undefined : readFileSync(join(folder, run.scripted), 'utf8');
      const model = script === undefined ? undefined : scriptedModel(parseScript(parse(script)));
      const workflow = loadWorkflow(join(folder, run.example), {
        env: { PATH: process.env['PATH'] },
        workingDirectory: folder,
        mcp: true,
        ...(model !== undefined && { model }),
      });
      const result = await workflow.run(run.inputs, { skipGates: run.skipGates ?? false });
      expect(result.termination).toMatchObject(run.ending);
      if (run.output !== undefined) expect(result.output).toEqual(run.output);
    },
    30_000,
  );
});
