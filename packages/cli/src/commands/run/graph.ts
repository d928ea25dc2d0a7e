import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { graphSvg } from '../../render/graph-svg.js';
import { problemsText } from '../../render/problems-text.js';
import { sealedVariables } from '../../workflow/model-options.js';
import { confineOption, shownDocument } from '../../workflow/shown-document.js';

export const command = defineCommand({
  name: 'graph',
  summary: 'Draws a workflow and every way it can end',
  operands: 'FILE',
  arity: [1, 1],
  options: {
    confine: confineOption,
    svg: { type: 'text', value: 'FILE', about: 'Draws a picture instead of writing Mermaid' },
    text: { type: 'flag', about: 'What the analysis says, in words' },
  },
  examples: [
    'fullstop graph triage.yaml',
    'fullstop graph triage.yaml --svg triage.svg',
    'fullstop graph triage.yaml --text',
  ],
  run: async ({ options, positionals, terminal, env, cwd, loaded }) => {
    const { analyzeWorkflow, describeAnalysis, drawMermaid, loadDocument } = await import('fullstop/workflow');
    const { confine } = options;
    const question = {
      file: positionals[0] ?? '',
      env,
      lenient: true,
      confine,
      ...sealedVariables(loaded.config, env),
    };
    const result = loadDocument(question);
    if (!result.ok) {
      terminal.error(problemsText(result.problems, terminal.errorStyle));
      return exitCodes.usage;
    }
    const analysis = analyzeWorkflow((await shownDocument(question)) ?? result.loaded);
    if (options.svg !== undefined) {
      const file = resolve(cwd, options.svg);
      writeFileSync(file, terminal.masked(graphSvg(analysis)));
      terminal.error(`Drawn to ${file}\n`);
    } else terminal.out(options.text ? `${describeAnalysis(analysis)}\n` : drawMermaid(analysis));
    return exitCodes.succeeded;
  },
});
