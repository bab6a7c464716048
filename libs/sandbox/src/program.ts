import { parseConfig, readEnvironment } from '@crate/config';
import { PinoLogger } from '@crate/telemetry';
import { startSimulatedClusters } from './cluster/simulated-clusters.js';
import { sandboxConfig } from './config.js';
import { runSandbox } from './sandbox.js';

const { sandbox, log } = parseConfig(sandboxConfig, readEnvironment());
const logger = PinoLogger.create({ service: 'sandbox', level: log.level });
const running = await runSandbox({ ...sandbox, logger, parts: [startSimulatedClusters] });

let isStopping = false;

async function stop(signal: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  logger.info('Stopping the sandbox', { signal });
  await running.close();
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
