import type { Command } from './command.js';
import { globalOptions, type OptionSpec } from './option.js';

/** Completions of commands, options, the few values that options allow, and the ids of runs, for which the store is asked. */
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

/** Commands whose first operand is a run. */
function runCommands(commands: readonly Command[]): readonly string[] {
  return commands.filter(({ operands }) => /^\[?RUN\b/.test(operands)).map(({ name }) => name);
}

/** Lists the ids of the newest runs; without a store nothing. */
const listRuns = 'runs --ids --limit 200';

/** Offers the ids of runs for their commands, from the store that is named on the line. */
function bashRuns(commands: readonly Command[]): string {
  return `  case " ${runCommands(commands).join(' ')} " in
    *" \${COMP_WORDS[1]} "*)
      local index store=()
      for ((index = 2; index < COMP_CWORD - 1; index += 1)); do
        if [ "\${COMP_WORDS[index]}" = --store ]; then store=(--store "\${COMP_WORDS[index+1]}"); fi
      done
      COMPREPLY=($(compgen -W "last $("\${COMP_WORDS[0]}" ${listRuns} "\${store[@]}" 2>/dev/null)" -- "$current"))
      return ;;
  esac`;
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
    --store|--config) COMPREPLY=($(compgen -f -- "$current")); return ;;
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
    return
  fi
${bashRuns(commands)}
  COMPREPLY=($(compgen -f -- "$current"))
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
  const runs = `complete -c fullstop -n '__fish_seen_subcommand_from ${runCommands(commands).join(' ')}' -f -a '(fullstop ${listRuns} 2>/dev/null) last'`;
  return `${[...lines, runs].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
