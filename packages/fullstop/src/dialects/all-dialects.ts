import { acp } from './acp.js';
import { agUi } from './ag-ui.js';
import { aiSdk } from './ai-sdk.js';
import { claudeAgentSdk } from './claude-agent-sdk.js';
import { conductor } from './conductor.js';
import { converge } from './converge.js';
import type { Dialect } from './dialect.js';
import { exAthena } from './exathena.js';
import { needlr } from './needlr.js';
import { tireaA, tireaB } from './tirea.js';

/** Every vocabulary that comes with the library, in the order of the documentation. */
export const allDialects: readonly Dialect[] = [
  needlr,
  converge,
  exAthena,
  tireaA,
  tireaB,
  conductor,
  aiSdk,
  claudeAgentSdk,
  agUi,
  acp,
];
