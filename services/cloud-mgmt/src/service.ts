import { runService } from '@crate/service-host';
import { CloudMgmtModule } from './cloud-mgmt.module.js';
import { cloudMgmtConfig } from './config.js';
import { CLOUD_MGMT_MIGRATIONS } from './migrations.js';

await runService({
  name: 'cloud-mgmt',
  module: CloudMgmtModule,
  config: cloudMgmtConfig,
  migrations: CLOUD_MGMT_MIGRATIONS,
});
