export { policyMgmtConfig, type PolicyMgmtConfig } from './config.js';
export { POLICY_MGMT_MIGRATIONS } from './migrations.js';
export { PolicyMgmtModule } from './policy-mgmt.module.js';
