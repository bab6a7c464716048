export { DirectoryKeyCarrier, type KeyDirectories } from './directory-key-carrier.js';
export { untilRunsEnded } from './drain.js';
export { Installation } from './installation.js';
export { KeyCarrier } from './key-carrier.js';
export { finishTarget, move, type MoveResult } from './move.js';
export { broughtBy, stateOf, type MoveRecord, type MoveState, type MoveStep } from './move-record.js';
export { rollBack } from './roll-back.js';
