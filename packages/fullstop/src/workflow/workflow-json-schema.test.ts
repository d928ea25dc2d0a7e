import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { loadDocument } from './load/load-document.js';
import { loadText, workflowOf } from './load/load-text.fixture.js';
import { jsonTextOf } from './source/json-text.js';
import { createReport } from './source/problem.js';
import { readTree } from './source/read-tree.js';
import { readYamlText } from './source/read-yaml-text.js';
import { builtInStepTypes } from './steps/built-in-step-types.js';
import { workflowJsonSchema } from './workflow-json-schema.js';

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  allowUnionTypes: true,
});
const accepts = ajv.compile(workflowJsonSchema());

function valueIn(text: string): unknown {
  const reading = readYamlText(text);
  if (!reading.ok) throw new Error(reading.message);
  return JSON.parse(reading.json);
}

function valueInFile(file: string, env: Readonly<Record<string, string>> = {}): unknown {
  const report = createReport('yaml');
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  const tree = readTree({ file, text: readFile(file), readFile, env, report });
  if (tree === undefined || report.problems.length > 0) throw new Error(report.problems[0]?.message);
  return JSON.parse(jsonTextOf(tree));
}

const repository = new URL('../../../../', import.meta.url);
const casesFolder = fileURLToPath(new URL('tests/parity/cases/', repository));
const examplesFolder = fileURLToPath(new URL('examples/workflows/', repository));
const examples = readdirSync(examplesFolder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.script.yaml'));

describe('the JSON Schema of workflow files', () => {
  it.each(examples)('accepts the example %s', (name) => {
    accepts(valueInFile(`${examplesFolder}${name}`));
    expect(accepts.errors ?? []).toEqual([]);
  });

  const cases = readdirSync(casesFolder)
    .map((name) => {
      const { env = {} } = JSON.parse(readFileSync(`${casesFolder}${name}/case.json`, 'utf8'));
      return { file: `${casesFolder}${name}/workflow.yaml`, env };
    })
    .filter(({ file, env }) => loadDocument({ file, env, lenient: true }).ok);

  it(`accepts what the loader accepts (${cases.length} parity files)`, () => {
    expect(cases.length).toBeGreaterThan(100);
    for (const { file, env } of cases) {
      accepts(valueInFile(file, env));
      expect(accepts.errors ?? [], file).toEqual([]);
    }
  });

  it.each(builtInStepTypes.names)('refuses the keys that %s steps do not take', (type) => {
    const { required, optional, ignored } = builtInStepTypes.of({ type }).shape.keys;
    const own: readonly string[] = [...required, ...optional, ...ignored];
    for (const key of Object.keys(builtInStepTypes.fields).filter((candidate) => !own.includes(candidate))) {
      const value = { workflow: { name: 'w', entry_point: 'a' }, agents: [{ name: 'a', type, [key]: 'x' }] };
      accepts(value);
      const found = (accepts.errors ?? []).map(({ keyword, params }) => [keyword, params['additionalProperty']]);
      expect(found, key).toContainEqual(['additionalProperties', key]);
    }
  });

  it.each([
    ['no name', '{prompt: x}'],
    ['a script without command', '{name: a, type: script}'],
    ['a gate without options', '{name: a, type: human_gate, prompt: x, options: []}'],
    ['a terminate step without reason', '{name: a, type: terminate, status: failed}'],
    ['a terminate step with another status', '{name: a, type: terminate, status: perhaps, reason: x}'],
    ['an unknown type', '{name: a, type: robot}'],
    ['a number as value', '{name: a, type: set, value: 1}'],
    ['a limit out of range', '{name: a, max_agent_iterations: 501}'],
    ['an unknown key of a route', '{name: a, routes: [{to: $end, if: x}]}'],
    ['a blank criterion', '{name: a, validator: {criteria: " "}}'],
  ])('refuses %s, as the loader does', (_, step) => {
    expect(loadText(workflowOf(step)).ok).toBe(false);
    expect(accepts(valueIn(workflowOf(step)))).toBe(false);
  });

  it('has a description for every key', () => {
    const { $defs, properties } = workflowJsonSchema() as Record<string, Record<string, { properties?: object }>>;
    const tables = [['root', { properties }], ...Object.entries($defs ?? {})] as [
      string,
      { properties?: Record<string, { description?: string }> },
    ][];
    for (const [name, { properties: keys = {} }] of tables) {
      for (const [key, schema] of Object.entries(keys)) {
        if (key === 'type') continue;
        expect(schema.description, `${name}.${key}`).toMatch(/\.$/);
      }
    }
  });
});
