export { policyMgmtConfig, type PolicyMgmtConfig } from './config.js';
export { PolicyMgmtModule } from './policy-mgmt.module.js';
