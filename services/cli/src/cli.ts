export { createProgram } from './program.js';
export { runCrate } from './run-crate.js';
