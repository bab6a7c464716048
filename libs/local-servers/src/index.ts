export { claimPort, freePort, isFree } from './free-port.js';
export { GuardedProcess, type GuardedProcessOptions } from './guarded-process.js';
export { postgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
export { ensureSharedState, mayEnter, postgresUser, requireEntry, type ServerUser } from './server-user.js';
