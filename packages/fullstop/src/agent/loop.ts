// What only a run needs of an agent. Loaded with the first run, so that importing the package stays cheap.
export { drive } from '../run/drive.js';
export { foldJournal } from '../run/fold-journal.js';
export { agentMachine } from './machine.js';
export { rulesOf } from './make-rules.js';
export { agentPerformer } from './performer.js';
export { callRecords, hasOpenRound, iterationRecords } from './records.js';
export { refuseUnchanged } from './refuse-unchanged.js';
