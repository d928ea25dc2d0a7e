import { defineCommand } from '../../command-line/command.js';
import { completionScript } from '../../command-line/completion-script.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { suggestion } from '../../command-line/suggestion.js';
import { UsageError } from '../../command-line/usage-error.js';

const shells = ['bash', 'zsh', 'fish'] as const;

export const command = defineCommand({
  name: 'completion',
  summary: 'Prints completions for bash, zsh or fish',
  operands: 'SHELL',
  arity: [1, 1],
  options: {},
  config: 'none',
  notes: [
    'bash: source <(fullstop completion bash) in ~/.bashrc. zsh: source <(fullstop completion zsh) in ~/.zshrc. fish: fullstop completion fish > ~/.config/fish/completions/fullstop.fish',
  ],
  examples: ['source <(fullstop completion bash)'],
  run: async ({ positionals, terminal, allCommands }) => {
    const [name = ''] = positionals;
    const shell = shells.find((known) => known === name);
    if (shell === undefined)
      throw new UsageError(
        `Completions are there for ${shells.join(', ')}, not for ${JSON.stringify(name)}${suggestion(name, shells)}.`,
      );
    terminal.out(completionScript(shell, await allCommands()));
    return exitCodes.succeeded;
  },
});
