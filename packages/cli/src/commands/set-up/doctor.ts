import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { Config } from '../../config/config.js';
import type { Check } from '../../doctor/check.js';
import { checkConfig, checkNode, checkSettings, checkStore } from '../../doctor/check-machine.js';
import { checkProviders } from '../../doctor/check-providers.js';
import { storeLocation } from '../../store/store-location.js';
import type { Style } from '../../terminal/style.js';
import { padded, wrapped } from '../../terminal/wrap.js';

export const command = defineCommand({
  name: 'doctor',
  summary: 'Checks this machine: Node, store, configuration, providers and keys',
  operands: '',
  arity: [0, 0],
  options: {
    check: { type: 'flag', about: 'Asks every provider that is set up for a word, which costs a few tokens' },
    model: {
      type: 'list',
      value: 'PROVIDER/MODEL',
      short: 'm',
      about: 'The model that --check asks at a provider; may be given several times',
    },
    json: { type: 'flag', about: 'The checks as JSON' },
  },
  notes: [
    'Shows where each setting that counts comes from. Exit code 1 when something does not work. Keys are never shown, and without --check no request is made.',
  ],
  examples: ['fullstop doctor', 'fullstop doctor --check --model ollama/llama3.2'],
  run: async ({ options, terminal, env, cwd, loaded }) => {
    const location = storeLocation({ option: options.store, env, cwd, loaded });
    const machine = [checkNode(process.versions.node), ...(await checkStore(location)), checkConfig(loaded)];
    const settings = checkSettings(loaded, location, env);
    const models = [...options.model, ...configured(loaded.config)];
    const providers = await checkProviders({ cwd, env, asks: options.check, models });
    const checks = [...machine, ...settings, ...providers];
    if (options.json) terminal.data(`${JSON.stringify(checks, null, 2)}\n`);
    else {
      const style = terminal.outStyle;
      const title = (text: string): string => `${style.bold(text)}\n`;
      // Programs want each check on one line.
      const isNarrow = terminal.outIsTerminal || env['COLUMNS'] !== undefined;
      const columns = isNarrow ? terminal.outColumns : Number.POSITIVE_INFINITY;
      terminal.out(
        lines([...machine, ...settings], style, columns) + title('Providers') + lines(providers, style, columns),
      );
    }
    return checks.some(({ status }) => status === 'bad') ? exitCodes.fatal : exitCodes.succeeded;
  },
});

/** The model of the configuration, where it names a provider too. */
function configured({ provider, model }: Config): readonly string[] {
  if (model === undefined) return [];
  if (provider !== undefined) return [`${provider}/${model}`];
  return model.includes('/') ? [model] : [];
}

function lines(checks: readonly Check[], style: Style, columns: number): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, status, found, todo }) => {
      const text = found + (todo === undefined ? '' : `: ${todo}`);
      const room = columns - width - 5;
      // A narrow terminal has no room beside the names.
      const [indent, shown] = room < leastRoom ? [5, wrapped(text, columns - 5)] : [width + 5, wrapped(text, room)];
      const [first = '', ...rest] = room < leastRoom ? ['', ...shown] : shown;
      const paint = (line: string): string => (status === 'note' ? style.dim(line) : line);
      return [
        `${signs(style)[status]} ${padded(name, width)}  ${paint(first)}`.trimEnd(),
        ...rest.map((line) => `${' '.repeat(indent)}${paint(line)}`),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
}

const leastRoom = 24;

function signs(style: Style): Readonly<Record<Check['status'], string>> {
  return style.glyphs
    ? { good: style.green('✓ '), note: style.dim('· '), bad: style.red('✗ ') }
    : { good: 'ok', note: '- ', bad: 'X ' };
}
