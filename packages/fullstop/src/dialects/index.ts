// The compiler loads the root entry with this one, so that the declarations of users can name every type that they infer.
/// <reference path="../index.ts" preserve="true" />

export { acp } from './acp.js';
export { agUi } from './ag-ui.js';
export { aiSdk } from './ai-sdk.js';
export { allDialects } from './all-dialects.js';
export { claudeAgentSdk } from './claude-agent-sdk.js';
export { type ConductorEvent, conductor, conductorExitCode } from './conductor.js';
export {
  type ConvergePredicate,
  type ConvergeStopReason,
  converge,
  convergePredicates,
  convergeText,
} from './converge.js';
export type {
  Dialect,
  DialectOptions,
  DialectTranslation,
  Fidelity,
  ForeignEnding,
  ForeignFields,
  ForeignPayload,
  ForeignReading,
  ForeignTermination,
  ForeignWord,
} from './dialect.js';
export {
  type ExAthenaCategory,
  type ExAthenaSubtype,
  exAthena,
  exAthenaCategory,
  exAthenaIsError,
  exAthenaIsSuccess,
  exAthenaSubtypes,
} from './exathena.js';
export { needlr } from './needlr.js';
export { tireaA, tireaB } from './tirea.js';
