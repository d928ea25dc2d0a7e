import { describe, loadModel, maxIterations, memoryEngine, runAgent, timeout } from 'fullstop';
import { importFrom } from '../workflow/find-package.js';
import type { Check } from './check.js';

const patienceMs = 30_000;

/** Endings that show that a provider did not answer. Any other, even of a cut or empty answer, shows that it did. */
const unanswered: ReadonlySet<string> = new Set([
  'failed',
  'provider_auth',
  'provider_failed',
  'provider_quota',
  'time_budget',
  'timeout',
]);

/** Asks a provider for one word, and says how that ended. */
export async function askProvider(
  provider: string,
  model: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Check> {
  const { termination } = await runAgent({
    name: 'doctor',
    model: await loadModel(model, { env, importPackage: importFrom(cwd) }),
    prompt: 'Answer with the word ok.',
    engine: memoryEngine(),
    retry: { attempts: 1 },
    settings: { maxOutputTokens: 16 },
    raiseOutputCap: false,
    stopWhen: [maxIterations(1), timeout({ run: patienceMs })],
  });
  if (!unanswered.has(termination.kind)) return { name: provider, status: 'good', found: `ready: ${model} answered` };
  const { url } = termination as { readonly url?: string };
  return {
    name: provider,
    status: 'bad',
    found: `${model} does not answer`,
    todo: `${describe(termination)}${url === undefined ? '' : ` Asked was ${url}.`}`,
  };
}
