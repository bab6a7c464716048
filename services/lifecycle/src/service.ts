import { runService } from '@crate/service-host';
import { lifecycleConfig } from './config.js';
import { LifecycleModule } from './lifecycle.module.js';
import { LIFECYCLE_MIGRATIONS } from './migrations.js';

await runService({
  name: 'lifecycle',
  module: LifecycleModule,
  config: lifecycleConfig,
  migrations: [LIFECYCLE_MIGRATIONS],
});
