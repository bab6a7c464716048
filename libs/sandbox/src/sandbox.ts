import type { Logger } from '@crate/telemetry';
import { openSimulatedCloud, type SimulatedCloud } from './cloud/simulated-cloud.js';
import type { ClusterCloud } from './cluster/cluster-cloud.js';
import type { Machines } from './cluster/machines.js';
import { registerCloudRoutes } from './control-api/routes.js';
import { startControlApi, type RegisterRoutes } from './control-api/server.js';

/** What lives on the simulated machines. */
export interface SandboxPart {
  /** Adds the part's routes to the control API. */
  readonly routes: RegisterRoutes;
  close(): Promise<void>;
}

/** Starts a part as it was when the last process stopped or died. */
export type StartSandboxPart = (options: {
  readonly dataDir: string;
  readonly machines: Machines;
  readonly cloud: ClusterCloud;
  /** Factor on latencies, as the control API has it now. */
  readonly latencyScale: () => number;
  /** Resolves once nothing holds a stage of a run of `rke` that is done. */
  readonly holdStage: (run: 'up' | 'remove') => Promise<void>;
  readonly logger: Logger;
}) => Promise<SandboxPart>;

export interface SandboxOptions {
  /** Everything that is simulated is kept here. One process at a time may use it. */
  readonly dataDir: string;
  /** Port of the control API; 0 lets the system choose. */
  readonly port: number;
  /** Factor on latencies until the control API says otherwise. */
  readonly latencyScale: number;
  readonly logger: Logger;
  readonly parts?: readonly StartSandboxPart[];
}

/** The sandbox while it runs. */
export interface RunningSandbox {
  /** Of the control API. */
  readonly url: string;
  readonly cloud: SimulatedCloud;
  /** Stops listening and writes out what is not on disk yet. */
  close(): Promise<void>;
}

/** Runs the simulated far ends: the cloud, what lives on its machines, and the control API over both. */
export async function runSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const opened = new AsyncDisposableStack();
  try {
    const running = await start(options, opened);
    options.logger.info('Sandbox is ready', { url: running.url });
    return { ...running, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function start(
  { dataDir, port, latencyScale, logger, parts = [] }: SandboxOptions,
  opened: AsyncDisposableStack,
): Promise<Omit<RunningSandbox, 'close'>> {
  const cloud = await openSimulatedCloud({ dataDirectory: dataDir, latencyScale });
  opened.defer(() => cloud.close());
  const scale = (): number => cloud.latency.get().scale;
  const routes: RegisterRoutes[] = [(app) => registerCloudRoutes(app, cloud)];
  for (const startPart of parts) {
    const part = await startPart({
      dataDir,
      machines: cloud.machines,
      cloud: cloud.clusterCloud,
      latencyScale: scale,
      holdStage: (run) => cloud.held.pass({ account: '' }, 'rke', { action: run, moment: 'after' }),
      logger,
    });
    opened.defer(() => part.close());
    routes.push(part.routes);
  }
  const api = await startControlApi({ port, logger, routes });
  opened.defer(() => api.close());
  return { url: api.url, cloud };
}
