export { DirectoryKeyCarrier, type KeyDirectories } from './directory-key-carrier.js';
export { Installation, type InstallationOptions } from './installation.js';
export { KeyCarrier } from './key-carrier.js';
export { finishTarget, move, type MoveOptions, type MoveResult } from './move.js';
export { MOVE_STEPS, stateOf, type MoveRecord, type MoveState, type MoveStep } from './move-record.js';
export { rollBack, type RollBackOptions } from './roll-back.js';
