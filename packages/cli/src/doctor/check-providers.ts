import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type FullstopError, loadModel, providerNames } from 'fullstop';
import type { Check } from './check.js';

/** Thrown in place of loading a package, once it is certain that it is there. */
class Found extends Error {}

/** Which providers of models can be used from a folder: key and package. No request is made. */
export async function checkProviders(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Check[]> {
  const require = createRequire(join(cwd, 'fullstop.js'));
  const importPackage = async (name: string): Promise<never> => {
    require.resolve(name);
    throw new Found(name);
  };
  const checks = await Promise.all(
    providerNames.map(async (provider): Promise<Check> => {
      try {
        await loadModel(`${provider}/any`, { env, importPackage });
        return { name: provider, status: 'good', found: 'ready' };
      } catch (error) {
        if (error instanceof Found) return { name: provider, status: 'good', found: `ready (${error.message})` };
        return { name: provider, status: 'note', found: 'not set up', todo: setUpHint(error as FullstopError) };
      }
    }),
  );
  return [...checks.filter(({ status }) => status === 'good'), ...checks.filter(({ status }) => status !== 'good')];
}

/** The missing variables or the missing package, where that is all that a provider lacks. */
function setUpHint({ details, message }: FullstopError): string {
  const { variables, package: name } = (details ?? {}) as { variables?: readonly string[]; package?: string };
  if (name !== undefined) return `npm install ${name}`;
  return variables === undefined ? message : `set ${variables.join(' or ')}`;
}
