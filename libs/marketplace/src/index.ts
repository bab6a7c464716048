export type { Value } from './template/intrinsics.js';
export type { Parameter, ReleaseFacts } from './template/parameters.js';
export { template, type Template } from './template/template.js';
export { BUNDLE } from './release-facts.js';
