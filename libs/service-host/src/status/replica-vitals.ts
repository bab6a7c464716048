import type { ReplicaReport } from '@crate/api';
import type { connectNats } from '@crate/messaging';
import type { HealthRegistry } from '@crate/telemetry';
import { ownVersion } from '../metrics/build-info.js';
import { within } from './one-at-a-time.js';

type NatsConnection = Awaited<ReturnType<typeof connectNats>>;

/** What a replica says of itself at each beat; when it began and was seen its row tells. */
export type ReplicaVitals = Pick<
  ReplicaReport,
  'version' | 'nodeVersion' | 'checks' | 'eventLoop' | 'memory' | 'nats' | 'clockSkewMs'
>;

const ROUND_TRIP_MS = 1_000;

/** Measures this process. */
export class ReplicaVitalsReader {
  private readonly connection: NatsConnection;
  private isConnected = true;
  private reconnects = 0;
  private loop = performance.eventLoopUtilization();

  constructor(
    nats: NatsConnection,
    private readonly health: Pick<HealthRegistry, 'ready'>,
  ) {
    this.connection = nats;
    void this.follow();
  }

  /** Never throws. The load of the event loop is that since the last reading; `checks` spares those of readiness. */
  async read(clockSkewMs?: number, checks?: ReplicaVitals['checks']): Promise<ReplicaVitals> {
    const [found, nats] = await Promise.all([checks ?? this.checks(), this.natsVitals()]);
    const { rss, heapUsed } = process.memoryUsage();
    return {
      version: ownVersion(),
      nodeVersion: process.version,
      checks: found,
      eventLoop: { utilization: this.utilization() },
      memory: { residentBytes: rss, heapUsedBytes: heapUsed },
      nats,
      ...(clockSkewMs === undefined ? {} : { clockSkewMs }),
    };
  }

  /** How this process stands to NATS. Never throws. */
  async natsVitals(): Promise<ReplicaReport['nats']> {
    const connected = this.isConnected && !this.connection.isClosed();
    const { server_name: server, version } = this.connection.info ?? {};
    const known = { ...(server === undefined ? {} : { server }), ...(version === undefined ? {} : { version }) };
    const roundTripMs = connected ? await this.roundTripMs() : undefined;
    const time = roundTripMs === undefined ? {} : { roundTripMs };
    return { connected, ...known, ...time, reconnects: this.reconnects };
  }

  /** Whether the server could keep messages; the platform asks for none to be kept. */
  get hasJetStream(): boolean {
    return this.connection.info?.jetstream === true;
  }

  private async checks(): Promise<ReplicaVitals['checks']> {
    const { checks } = await this.health.ready();
    return checks.map(({ name, ok, message }) => ({ name, ok, ...(message === undefined ? {} : { message }) }));
  }

  private async roundTripMs(): Promise<number | undefined> {
    const begun = performance.now();
    const back = await within(ROUND_TRIP_MS, this.connection.flush()).then(
      () => true,
      () => false,
    );
    return back ? round(performance.now() - begun) : undefined;
  }

  private utilization(): number {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.loop);
    this.loop = now;
    return Math.min(1, Math.max(0, round(utilization)));
  }

  private async follow(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.isConnected = false;
      if (type === 'reconnect') {
        this.isConnected = true;
        this.reconnects += 1;
      }
    }
  }
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
