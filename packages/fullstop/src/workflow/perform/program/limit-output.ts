import { directiveOf } from '../../../agent/options/directive.js';
import type { ToolLike } from '../../../agent/tools/tool.js';
import type { ToolOutput } from '../../schema/record-types.js';
import type { Environment } from '../environment.js';
import { spillOutput } from './spill-output.js';

interface Limited {
  readonly name: string;
  readonly limits: ToolOutput;
  readonly environment: Environment;
}

/** The same tool, whose results are cut to what the file allows; the whole of a long one is kept in a file. */
export function limitOutput(tool: ToolLike, { name, limits, environment }: Limited): ToolLike {
  const { execute } = tool;
  if (!limits.enabled || execute === undefined) return tool;
  const perform = execute as (input: unknown, options: unknown) => unknown;
  return {
    ...tool,
    execute: async (input: never, options: never) => {
      const result = await perform.call(tool, input, options);
      // What ends the agent is no text for its model, however long it is.
      if (directiveOf(result) !== undefined) return result;
      const text = typeof result === 'string' ? result : JSON.stringify(result);
      if (text === undefined || text.length <= limits.max_chars) return result;
      const kept = text.slice(0, limits.max_chars);
      const directory = limits.spill_dir ?? environment.spillDirectory;
      const { secrets } = environment;
      const spilled = limits.spill_to_file
        ? ` The whole is in ${spillOutput({ name, text, directory, secrets })}.`
        : '';
      return `${kept}\n[cut: ${text.length - limits.max_chars} of ${text.length} characters left out.${spilled}]`;
    },
  };
}
