import { fileURLToPath } from 'node:url';
import { runService } from '@crate/service-host';
import { CloudMgmtModule } from './cloud-mgmt.module.js';
import { cloudMgmtConfig } from './config.js';

await runService({
  name: 'cloud-mgmt',
  module: CloudMgmtModule,
  config: cloudMgmtConfig,
  migrations: [fileURLToPath(new URL('../prisma/migrations', import.meta.url))],
});
