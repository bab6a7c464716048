import { fileURLToPath } from 'node:url';
import { runService } from '@crate/service-host';
import { ClusterMgmtModule } from './cluster-mgmt.module.js';
import { clusterMgmtConfig } from './config.js';

await runService({
  name: 'cluster-mgmt',
  module: ClusterMgmtModule,
  config: clusterMgmtConfig,
  migrations: [fileURLToPath(new URL('../prisma/migrations', import.meta.url))],
});
