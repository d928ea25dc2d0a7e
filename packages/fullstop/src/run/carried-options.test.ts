import { expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { carriedOptions, partRunOptions } from './carried-options.js';

it('hands on what was given, and nothing else', () => {
  const options = { version: '2', graceMs: 5, onEnding: undefined, model: 'x' } as never;
  expect(carriedOptions(options)).toEqual({ version: '2', graceMs: 5 });
  expect(Object.keys(carriedOptions(options))).toEqual(['graceMs', 'version']);
});

it('parts the options of a run from the rest', () => {
  const engine = memoryEngine();
  const options = { engine, runId: 'r', onPause: undefined, name: 'n', tools: undefined } as never;
  const { run, rest } = partRunOptions(options);
  expect(Object.entries(run)).toEqual([
    ['engine', engine],
    ['runId', 'r'],
  ]);
  expect(Object.entries(rest)).toEqual([
    ['name', 'n'],
    ['tools', undefined],
  ]);
});
