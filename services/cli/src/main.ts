import { loadCli } from './load-cli.js';

const { runCrate } = await loadCli();
await runCrate(process.argv.slice(2));
