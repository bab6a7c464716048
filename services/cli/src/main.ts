import { loadCli } from './load-cli.js';

const LINGER_MS = 5_000;

const { runCrate } = await loadCli();
await runCrate(process.argv.slice(2));

// What failed may have left a connection to somebody who never answers: nobody waits for that.
if (process.exitCode) setTimeout(() => process.exit(), LINGER_MS).unref();
