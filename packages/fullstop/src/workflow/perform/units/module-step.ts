import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeScope } from '../../../run/journal/scope-path.js';
import type { RunLimits } from '../../../run/limits.js';
import type { RunContext, RunEnd } from '../../../run/run-context.js';
import { isSecrets, type Secrets } from '../../../run/secrets/secrets.js';
import { asUnitContext } from '../../../run/unit/unit-context.js';
import { readJsonText, valueFromJson, valueToJson, writeJsonText } from '../../../template/json-text.js';
import { outcome } from '../../../termination/classify.js';
import type { Ending } from '../../../termination/ending.js';
import { toErrorData } from '../../../termination/errors/to-error-data.js';
import { isObject, type JsonValue } from '../../../termination/json.js';
import { terminations } from '../../../termination/terminations.js';
import { filesOf, stepsOf } from '../../graph/files-of.js';
import type { UnitOutcome } from '../../machine/state.js';
import { attempt, type Problem } from '../../machine/step-problem.js';
import type { ConvergenceStep } from '../../schema/steps/convergence.js';
import type { PipelineStep } from '../../schema/steps/pipeline.js';
import { checkRegularFile } from '../../source/read-regular-file.js';
import { mapText } from '../routes.js';
import type { StepContext } from '../runtime.js';
import { directoryOf, type Runtime } from '../runtime.js';
import { render } from '../scope/render.js';
import { renderingOf } from '../scope/scopes.js';
import { coerceMapping } from '../values/coerce.js';
import { failUnit } from './unit-end.js';

type ModuleStep = PipelineStep | ConvergenceStep;

/** The export that a module must have to be used as a step. */
interface Usable {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly limits?: RunLimits;
  readonly secrets?: Secrets;
  within(context: RunContext, input: JsonValue): Promise<RunEnd<Ending>>;
}

interface Prepared {
  readonly input?: JsonValue;
  readonly problem?: Problem;
}

/** Runs a pipeline or a convergence that a module exports. */
export async function moduleStep(step: ModuleStep, given: StepContext): Promise<RunEnd<Ending>> {
  const { context, runtime } = given;
  const prepared: Prepared = await context.record('input', () => {
    const input = attempt(() => inputOf(step, given));
    return 'problem' in input ? { problem: input.problem } : { input: input.value };
  });
  if (prepared.problem !== undefined) return failUnit(prepared.problem);
  const found = await findExport(step, runtime);
  if ('problem' in found) return failUnit(found.problem);
  const ended = await runWithin(found.definition, context, prepared.input ?? null);
  const text = writeJsonText(valueFromJson((ended.output ?? null) as JsonValue));
  // The module does not say what it has used, and its own output may have members of any name.
  const output: UnitOutcome = { output: text, ...asUnitContext(context).used };
  return { ...ended, output };
}

/** Limits of its own need a unit of its own, which is named in a failure so that a resume finds it. */
async function runWithin(definition: Usable, context: RunContext, input: JsonValue): Promise<RunEnd<Ending>> {
  const { name, limits } = definition;
  if (limits === undefined) return definition.within(context, input);
  const ended = await context.child('limited', (inner) => definition.within(inner, input), { limits });
  const verdict = outcome(ended.termination);
  if (verdict === 'succeeded' || verdict === 'skipped') return ended;
  const child = { name, path: makeScope(context.scope, 'limited') };
  return { ...ended, termination: terminations.childFailed({ child, termination: ended.termination }) };
}

function inputOf(step: ModuleStep, given: StepContext): JsonValue {
  if (step.input_mapping === undefined) return valueToJson(readJsonText(given.state.inputs));
  const rendering = renderingOf(step, given);
  const entries = [...step.input_mapping].map(
    ([name, template]) => [name, coerceMapping(render(rendering, template))] as const,
  );
  return valueToJson(readJsonText(mapText(entries)));
}

/**
 * Seals the secrets of the modules that a file and its sub-workflows use, before the first step: a run that another process continues after such a
 * step must not show them either. What cannot be imported is reported by the step that needs it.
 */
export async function sealModules(outermost: Runtime['loaded'], environment: Runtime['environment']): Promise<void> {
  if (environment.sealAlso === undefined) return;
  const uses = filesOf(outermost).flatMap((loaded) => modulesOf(loaded).map((use) => ({ use, loaded })));
  await Promise.all(uses.map(({ use, loaded }) => findExport({ use }, { environment, loaded })));
}

/** True where a file or a sub-workflow of it has a step of a module. */
export function usesModules(loaded: Runtime['loaded']): boolean {
  return filesOf(loaded).some((file) => modulesOf(file).length > 0);
}

function modulesOf({ document }: Runtime['loaded']): readonly string[] {
  return [...new Set(stepsOf(document).flatMap((step) => ('use' in step ? [step.use] : [])))];
}

async function findExport(
  step: Pick<ModuleStep, 'use'>,
  { environment, loaded }: Pick<Runtime, 'environment' | 'loaded'>,
): Promise<{ readonly definition: Usable } | { readonly problem: Problem }> {
  const [path = '', name = 'default'] = step.use.split('#');
  const file = isAbsolute(path) ? path : resolve(directoryOf(loaded), path);
  try {
    if (environment.folder !== undefined) checkRegularFile(file, environment.folder);
    const load = environment.importModule ?? ((url: string) => import(url));
    const module = await load(pathToFileURL(file).href);
    const definition: unknown = module[name];
    if (isUsable(definition)) {
      if (isSecrets(definition.secrets)) environment.sealAlso?.(definition.secrets);
      return { definition };
    }
    return { problem: unusable(`${path} has no export ${name} with name, kinds and within(context, input).`) };
  } catch (error) {
    return { problem: unusable(`${path} cannot be imported: ${toErrorData(error).message}`) };
  }
}

function isUsable(value: unknown): value is Usable {
  if (!isObject(value)) return false;
  return typeof value['name'] === 'string' && Array.isArray(value['kinds']) && typeof value['within'] === 'function';
}

function unusable(message: string): Problem {
  return { error: { name: 'ExecutionError', message, code: 'MODULE_UNUSABLE' }, errorClass: 'configuration' };
}
