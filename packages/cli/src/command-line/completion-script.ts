import type { Command } from './command.js';
import { globalOptions, type OptionSpec } from './option.js';

/** Completions of commands, options and the few values that options allow. Nothing has to be asked while typing. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish', commands: readonly Command[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      // zsh understands bash completions once that is enabled.
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
    default:
      return '';
  }
}

function optionsOf({ options }: Command): readonly (readonly [string, OptionSpec])[] {
  return Object.entries({ ...options, ...globalOptions });
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const names = optionsOf(command).map(([name]) => `--${name}`);
    return `    ${command.name}) words="${names.join(' ')}" ;;`;
  });
  const choices = new Map(
    commands.flatMap((command) =>
      optionsOf(command).flatMap(([name, spec]) =>
        'choices' in spec && spec.choices !== undefined ? [[`--${name}`, spec.choices.join(' ')] as const] : [],
      ),
    ),
  );
  const values = [...choices].map(
    ([name, words]) => `    ${name}) COMPREPLY=($(compgen -W "${words}" -- "$current")); return ;;`,
  );
  return `_fullstop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$previous" in
${values.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _fullstop fullstop
`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c fullstop -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
    ...optionsOf(command).map(([name, spec]) => {
      const value = spec.type === 'flag' ? '' : ' -r';
      const words = 'choices' in spec && spec.choices !== undefined ? ` -f -a ${quoted(spec.choices.join(' '))}` : '';
      return `complete -c fullstop -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${value}${words} -d ${quoted(spec.about)}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
