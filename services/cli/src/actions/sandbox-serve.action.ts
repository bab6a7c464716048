import { readCliEnvironment } from '../config.js';
import { DataDir } from '../up/data-dir.js';
import { serveSandbox } from '../up/serve-sandbox.js';
import { stopSignal } from '../up/stop-signal.js';

export async function runServe(options: { readonly dataDir: string; readonly port?: number }): Promise<void> {
  const { dataDir, port } = options;
  await serveSandbox({
    dir: new DataDir(dataDir),
    ...(port === undefined ? {} : { port }),
    searchPath: readCliEnvironment().searchPath,
    signal: stopSignal(),
    say: (line) => console.log(line),
  });
}
