export { CloudMgmtModule } from './cloud-mgmt.module.js';
export { cloudMgmtConfig, type CloudMgmtConfig } from './config.js';
