import { runCrate } from './run-crate.js';

await runCrate(process.argv.slice(2));
