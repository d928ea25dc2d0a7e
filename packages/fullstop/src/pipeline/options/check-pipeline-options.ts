import { checkCarried } from '../../run/check-run-options.js';
import { checkOptions, invalidOption, someText } from '../../stop/check-option.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { StandardSchema } from '../../termination/standard-schema.js';
import type { PipelineOptions } from '../pipeline.js';
import { checkCallback } from './check-callback.js';
import { checkSharedLimits } from './check-shared-limits.js';

type AnyOptions = PipelineOptions<StandardSchema | undefined, readonly AnyTerminationDefinition[]>;

/** All options there are; the type makes sure that none is forgotten. */
const known: Required<Record<keyof AnyOptions, true>> = {
  version: true,
  input: true,
  terminations: true,
  customTags: true,
  limits: true,
  gate: true,
  treatAsSuccess: true,
  graceMs: true,
  secrets: true,
  onEnding: true,
};

/** Refuses a name and options that cannot be meant: a misspelt limit would be no limit. */
export function checkPipelineOptions(name: string, options: AnyOptions): void {
  const builder = `pipeline ${JSON.stringify(name)}`;
  someText(name, { builder: 'pipeline', option: 'name' });
  checkOptions(options, builder, Object.keys(known) as (keyof AnyOptions)[]);
  checkCarried(options, builder);
  const { limits = {}, gate, input } = options;
  checkSharedLimits(limits, `The pipeline ${JSON.stringify(name)}`);
  checkCallback(gate, { builder, option: 'gate' });
  if (input !== undefined && (input as Partial<StandardSchema> | null)?.['~standard'] === undefined)
    throw invalidOption(
      input,
      { builder, option: 'input' },
      'a Standard Schema, as Zod, Valibot and ArkType make them',
    );
}
