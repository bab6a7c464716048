export { lifecycleConfig, type LifecycleConfig } from './config.js';
export { LifecycleModule } from './lifecycle.module.js';
