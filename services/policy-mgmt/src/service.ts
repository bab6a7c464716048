import { runService } from '@crate/service-host';
import { policyMgmtConfig } from './config.js';
import { POLICY_MGMT_MIGRATIONS, POLICY_MGMT_SEALED_TABLES } from './migrations.js';
import { PolicyMgmtModule } from './policy-mgmt.module.js';

await runService({
  name: 'policy-mgmt',
  module: PolicyMgmtModule,
  config: policyMgmtConfig,
  migrations: POLICY_MGMT_MIGRATIONS,
  sealedTables: POLICY_MGMT_SEALED_TABLES,
});
