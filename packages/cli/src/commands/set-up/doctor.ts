import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { Check } from '../../doctor/check.js';
import { checkConfig, checkNode, checkSettings, checkStore } from '../../doctor/check-machine.js';
import { checkProviders } from '../../doctor/check-providers.js';
import { storeLocation } from '../../store/store-location.js';
import type { Style } from '../../terminal/style.js';
import { padded } from '../../terminal/wrap.js';

export const command = defineCommand({
  name: 'doctor',
  summary: 'Checks this machine: Node, store, configuration, providers and keys',
  operands: '',
  arity: [0, 0],
  options: { json: { type: 'flag', about: 'The checks as JSON' } },
  notes: [
    'Shows where each setting that counts comes from. Exit code 1 when something does not work. Keys are never shown, and no request is made.',
  ],
  examples: ['fullstop doctor'],
  run: async ({ options, terminal, env, cwd, loaded }) => {
    const location = storeLocation({ option: options.store, env, cwd, loaded });
    const machine = [checkNode(process.versions.node), ...(await checkStore(location)), checkConfig(loaded)];
    const settings = checkSettings(loaded, location, env);
    const providers = await checkProviders(cwd, env);
    const checks = [...machine, ...settings, ...providers];
    if (options.json) terminal.data(`${JSON.stringify(checks, null, 2)}\n`);
    else {
      const style = terminal.outStyle;
      const title = (text: string): string => `${style.bold(text)}\n`;
      terminal.out(lines([...machine, ...settings], style) + title('Providers') + lines(providers, style));
    }
    return checks.some(({ status }) => status === 'bad') ? exitCodes.fatal : exitCodes.succeeded;
  },
});

function lines(checks: readonly Check[], style: Style): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, status, found, todo }) => {
      const more = todo === undefined ? '' : `: ${todo}`;
      return `${signs(style)[status]} ${padded(name, width)}  ${status === 'note' ? style.dim(found + more) : found + more}\n`;
    })
    .join('');
}

function signs(style: Style): Readonly<Record<Check['status'], string>> {
  return style.glyphs
    ? { good: style.green('✓ '), note: style.dim('· '), bad: style.red('✗ ') }
    : { good: 'ok', note: '- ', bad: 'X ' };
}
