import { checkLimits } from '../run/limits.js';
import { isSecrets } from '../run/secrets.js';
import { checkOptions, invalidOption, someText } from '../stop/check-option.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { StandardSchema } from '../termination/standard-schema.js';
import { checkCallback } from './build.js';
import type { PipelineOptions } from './pipeline.js';

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
  const { limits = {}, gate, treatAsSuccess, secrets, input } = options;
  checkLimits(limits, `The pipeline ${JSON.stringify(name)}`);
  for (const [option, value] of Object.entries({ gate, treatAsSuccess })) checkCallback(value, { builder, option });
  if (secrets !== undefined && !isSecrets(secrets))
    throw invalidOption(secrets, { builder, option: 'secrets' }, 'what createSecrets({ NAME: value }) gives');
  if (input !== undefined && (input as Partial<StandardSchema>)['~standard'] === undefined)
    throw invalidOption(
      input,
      { builder, option: 'input' },
      'a Standard Schema, as Zod, Valibot and ArkType make them',
    );
}
