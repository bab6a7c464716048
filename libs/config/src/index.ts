export { readEnvironment, type Environment } from './config.js';
export { describeConfig, durationText, renderConfigTable, type ConfigRow } from './describe-config.js';
export { age, duration, port, secret, type ConfigMeta } from './fields.js';
export { listSecretValues, parseConfig } from './parse-config.js';
