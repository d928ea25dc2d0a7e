// The part of an agent that only a run needs. Loaded with the first run, so that importing the package stays cheap.
export { drive } from '../run/machine/drive.js';
export { openFold } from '../run/machine/fold-journal.js';
export { agentMachine } from './machine/machine.js';
export { callRecords, iterationRecords, needsJournal } from './machine/records.js';
export { rulesOf } from './options/make-rules.js';
export { refuseUnchanged } from './options/refuse-unchanged.js';
export { agentPerformer } from './perform/performer.js';
