export type { Value } from './template/intrinsics.js';
