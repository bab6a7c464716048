export type { Value } from './template/intrinsics.js';
export { NO_RELEASE, parameterGroups, type Parameter, type ReleaseFacts } from './template/parameters.js';
export { template, type Template } from './template/template.js';
export { BUNDLE, releaseFacts } from './release-facts.js';
