/** A simulated cluster with its API, for tests of those who speak to one. */
export { buildSandbox, TestBench } from './cluster/testing/test-bench.js';
