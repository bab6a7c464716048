export { freePort } from './free-port.js';
export { GuardedProcess, type GuardedProcessOptions } from './guarded-process.js';
export { postgresBinaries, postgresUser, type PostgresBinaries } from './postgres-binaries.js';
