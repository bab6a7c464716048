import { Readable } from 'node:stream';
import { unauthenticated } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Challenges } from './engine/challenges.js';
import { RemoveRun } from './engine/remove-run.js';
import { KeyedLock } from './engine/keyed-lock.js';
import { RunFailure, type EngineRun } from './engine/run-events.js';
import { SnapshotRun } from './engine/snapshot-run.js';
import { UpRun } from './engine/up-run.js';
import { removeRequest, snapshotRequest, upRequest, type RunEvent, type TunnelRequest } from './rke-protocol.js';
import type { SimulatedCluster } from './simulated-cluster.js';
import type { SimulatedClusters } from './simulated-clusters.js';

const targetApis = z.strictObject({ down: z.boolean().default(false), expired: z.boolean().default(false) });

/** What `GET /v1/clusters` tells of a cluster. */
export interface ClusterSummary {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly createdAt: string;
  /** URL of its API; absent while nothing listens. */
  readonly url?: string;
  readonly nodes: readonly { readonly name: string; readonly machineId: string; readonly roles: readonly string[] }[];
}

/** The part of the control API that `rke` speaks to. A run answers with one event a line, as it goes. */
export function registerClusterRoutes(app: FastifyInstance, clusters: SimulatedClusters): void {
  const challenges = new Challenges();
  const lock = new KeyedLock();
  const serve = <S extends z.ZodType<TunnelRequest>>(
    path: string,
    schema: S,
    start: (request: z.output<S>) => EngineRun,
    stageDone: () => Promise<void> = () => Promise.resolve(),
  ): void => {
    app.post(`/v1/clusters/${path}`, (request, reply) => {
      const body = schema.parse(request.body);
      if (!challenges.redeem(body.challenge)) throw unauthenticated('The challenge is not known, or too old');
      // A client that hangs up ends the stream, which ends the run after its current step.
      const stream = Readable.from(lines(start(body), lock, stageDone, clusters.options.logger));
      return reply.type('application/x-ndjson').send(stream);
    });
  };
  app.put('/v1/target-apis', async (request) => {
    const apis = targetApis.parse(request.body);
    await clusters.setApis(apis);
    return apis;
  });
  app.get('/v1/clusters', () => clusters.list().map(summaryOf));
  app.post('/v1/clusters/challenge', () => ({ challenge: challenges.issue() }));
  const held = (run: 'up' | 'remove') => async () => clusters.options.holdStage?.(run);
  serve('up', upRequest, (request) => new UpRun(clusters, request), held('up'));
  serve('remove', removeRequest, (request) => new RemoveRun(clusters, request), held('remove'));
  serve('snapshot-save', snapshotRequest, (request) => new SnapshotRun(clusters, request, 'save'));
  serve('snapshot-restore', snapshotRequest, (request) => new SnapshotRun(clusters, request, 'restore'));
}

async function* lines(
  run: EngineRun,
  lock: KeyedLock,
  stageDone: () => Promise<void>,
  logger: Logger,
): AsyncGenerator<string> {
  // A run whose client is gone may still be in its last step on the same hosts.
  const release = await lock.acquire(run.machineIds);
  try {
    for await (const event of run.run()) {
      if (endsStage(event)) await stageDone();
      yield line(event);
    }
  } catch (error) {
    const isOwn = error instanceof RunFailure;
    if (!isOwn) logger.error('A run of the engine failed', { error });
    yield line({ event: 'failed', message: isOwn ? error.message : `Simulation failed: ${String(error)}` });
  } finally {
    release();
  }
}

/** What is told once something was done on hosts; the rest only announces. */
function endsStage(event: RunEvent): boolean {
  return event.event !== 'log' || /successfully/i.test(event.message);
}

function line(event: RunEvent): string {
  return `${JSON.stringify(event)}\n`;
}

function summaryOf({ record, endpoint }: SimulatedCluster): ClusterSummary {
  const { id, name, version, createdAt, members } = record;
  return {
    id,
    name,
    version,
    createdAt,
    ...(endpoint ? { url: `https://${endpoint.address}:${endpoint.port}` } : {}),
    nodes: members.map(({ nodeName, machineId, roles }) => ({ name: nodeName, machineId, roles })),
  };
}
