export { eventually, type EventuallyOptions } from './eventually.js';
export { freePort } from '@crate/local-servers';
export { startNats, type NatsOptions, type NatsServer } from './nats.js';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres.js';
export { CratePlatform, type CratePlatformOptions, type CrateProcess } from './crate-platform.js';
