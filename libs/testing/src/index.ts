export { eventually, type EventuallyOptions } from './eventually.js';
export { freePort } from './free-port.js';
export { startNats, type NatsOptions, type NatsServer } from './nats.js';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres.js';
