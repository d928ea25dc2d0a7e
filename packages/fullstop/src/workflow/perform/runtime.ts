import { dirname, resolve } from 'node:path';
import { Dict } from '../../template/dict.js';
import { readJsonText } from '../../template/json-text.js';
import type { Value } from '../../template/value.js';
import type { LoadedDocument } from '../load/load-document.js';
import type { Program } from '../machine/program.js';
import type { WorkflowState } from '../machine/state.js';
import type { McpServers } from './agent/mcp.js';
import type { Environment } from './environment.js';

/** One workflow of a run: the run's own, or a sub-workflow inside it. */
export interface Runtime {
  readonly program: Program;
  readonly loaded: LoadedDocument;
  /** JSON text of the inputs that were given, before defaults. */
  readonly given: string;
  /** 0 for the run itself. */
  readonly depth: number;
  /** The same on every replay; where `random` starts. */
  readonly seed: number;
  readonly environment: Environment;
  readonly mcp: McpServers;
  /** The text that stands before every prompt, from the workflows around this one. */
  readonly preamble: readonly string[];
  /** The definitions of providers that count: those of the outermost workflow. */
  readonly provider: Program;
  readonly workflowValue: WorkflowValue;
  /** The sub-workflows that ran in this process, by the paths of their units. */
  readonly children: Map<string, LiveChild>;
}

/** A sub-workflow and where it is. */
export interface LiveChild {
  readonly runtime: Runtime;
  state(): WorkflowState | undefined;
}

/** Where relative paths of a workflow file begin. */
export function directoryOf({ file }: LoadedDocument): string {
  return dirname(resolve(file));
}

/** Makes the value of the name `workflow`, once per set of inputs. */
export type WorkflowValue = (inputs: string) => Dict;

export function workflowValueOf({ document }: Program, loaded: LoadedDocument, directory: string): WorkflowValue {
  let known: { readonly inputs: string; readonly value: Dict } | undefined;
  return (inputs) => {
    if (known?.inputs !== inputs) {
      const value = new Dict()
        .setText('input', readJsonText(inputs))
        .setText('dir', directory)
        .setText('file', loaded.file)
        .setText('name', document.workflow.name);
      known = { inputs, value };
    }
    return known.value;
  };
}

/** The same with other inputs, for steps that may see only some of them. */
export function withInputs(workflow: Dict, inputs: Value): Dict {
  return workflow.copy().setText('input', inputs);
}
