import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, Manifest } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';

const NAMESPACE = 'clustered';
const WRITERS = 4;
const PAUSE_MS = 50;

/** People who make accounts in the cloud one after the other, and remember which were acknowledged. Each goes through NATS and PostgreSQL. */
export class Writers {
  readonly acknowledged: string[] = [];
  readonly refused: string[] = [];
  private readonly stopping = new AbortController();
  private work: Promise<unknown> = Promise.resolve();

  constructor(private readonly api: TargetCluster) {}

  async start(): Promise<void> {
    await this.api.applyObject(
      { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name: NAMESPACE }, spec: {} },
      { fieldManager: 'e2e', force: true },
    );
    this.work = Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.writeOn(writer)));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  /** Names of what there is, and of those that were looked at by the service that owns them. */
  async stored(): Promise<{ readonly names: readonly string[]; readonly ready: readonly string[] }> {
    const { items } = await this.api.list('cloud.crate.dev/v1alpha1', 'CloudAccount', { namespace: NAMESPACE });
    const names = items.map(({ metadata }) => metadata.name);
    const ready = items.filter((item) => isReady(item)).map(({ metadata }) => metadata.name);
    return { names, ready };
  }

  /** Each name is tried once: whether a write that was not acknowledged came about is nobody's to say. */
  private async writeOn(writer: number): Promise<void> {
    for (let count = 0; !this.stopping.signal.aborted; count += 1) {
      const name = `account-${writer}-${count}`;
      const account: Manifest = {
        apiVersion: 'cloud.crate.dev/v1alpha1',
        kind: 'CloudAccount',
        metadata: { name, namespace: NAMESPACE },
        spec: { provider: 'sandbox-aws' },
      };
      try {
        await this.api.applyObject(account, { fieldManager: 'e2e', force: true });
        this.acknowledged.push(name);
      } catch {
        this.refused.push(name);
      }
      await delay(PAUSE_MS);
    }
  }
}

function isReady(item: KubeObject): boolean {
  const { status } = item as KubeObject & { status?: { conditions?: { type: string; status: string }[] } };
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
}
