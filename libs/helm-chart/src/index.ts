export { CHART, ROOT, writtenFiles, type WrittenFile } from './files/written-files.js';
export { natsAuthorization } from './files/nats-authorization.js';
export { runProgram, whyNoHelm, type Outcome } from './render/program.js';
export { NAMESPACE, RELEASE, StagedChart, type RenderedObject } from './render/staged-chart.js';
export { natsConfiguration } from './secrets/nats-configuration.js';
export { passwordVariable } from './values/nats-values.js';
export {
  firstAdminToken,
  releaseSecrets,
  type KubernetesSecret,
  type ReleaseSecrets,
} from './secrets/release-secrets.js';
