import type { Mask } from '../terminal/terminal.js';
import type { Config } from './config.js';

/** Shorter values are no secrets: too much text would look like them. */
const shortest = 6;

/** Hides the variables that are secret by their names or by the configuration, and the keys of its webhooks. */
export async function secretMask({ secrets = [], onEnding = {} }: Config, env: NodeJS.ProcessEnv): Promise<Mask> {
  const { createSecrets, environmentSecrets } = await import('fullstop');
  const values = [
    ...secrets.map((name) => [name, env[name] ?? ''] as const),
    ...Object.entries(onEnding).map(
      ([name, { secret }]) => [`onEnding.${name.replace(/[^\w-]/g, '_')}`, secret] as const,
    ),
  ].filter(([name, value]) => value.length >= shortest && /^[A-Za-z_][\w.-]*$/.test(name));
  const masks = [createSecrets(Object.fromEntries(values)), environmentSecrets(env)];
  return (text) => masks.reduce((shown, each) => each?.mask(shown) ?? shown, text);
}
