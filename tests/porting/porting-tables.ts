import type { PortingTable } from './porting-row.js';
import { callbacksRows } from './rows/callbacks-rows.js';
import { inputRows } from './rows/input-rows.js';
import { resultsRows } from './rows/results-rows.js';
import { settingsRows } from './rows/settings-rows.js';
import { toolsRows } from './rows/tools-rows.js';

/** Everything that the AI SDK's loops offer, with what there is here: the tests and docs/coming-from-ai-sdk.md are made of it. */
export const portingTables: readonly PortingTable[] = [inputRows, settingsRows, toolsRows, callbacksRows, resultsRows];
