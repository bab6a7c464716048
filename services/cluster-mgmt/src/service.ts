import { runService } from '@crate/service-host';
import { ClusterMgmtModule } from './cluster-mgmt.module.js';
import { clusterMgmtConfig } from './config.js';
import { CLUSTER_MGMT_MIGRATIONS } from './migrations.js';

await runService({
  name: 'cluster-mgmt',
  module: ClusterMgmtModule,
  config: clusterMgmtConfig,
  migrations: CLUSTER_MGMT_MIGRATIONS,
});
