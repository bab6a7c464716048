import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiVersionOf, type KindDefinition, type KubeObject, type Manifest } from '@crate/api';
import type { CallContext } from '@crate/resource-client';
import { InMemoryLogger } from '@crate/telemetry';
import type { ClusterCloud } from '../cluster-cloud.js';
import { scaledLatency, type ClusterRecord } from '../cluster-record.js';
import { ImageCatalog, writeLocalImages, type LocalImagesInput } from '../containers/image-catalog.js';
import { applyManifests } from '../engine/apply-manifests.js';
import { ensureBaseObjects } from '../engine/base-objects.js';
import { registerNode } from '../engine/nodes.js';
import { RunningCluster } from '../running-cluster.js';
import { FakeMachines } from './fake-machines.js';

export const ADMIN: CallContext = { caller: { user: 'admin', groups: ['system:masters'] }, traceId: 't' };

const SIGNING_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** A cluster of two workers without a listener, for tests of its rules and loops. */
export class TestCluster {
  readonly logger = new InMemoryLogger();
  readonly machines = new FakeMachines('');
  running!: RunningCluster;

  private constructor(
    private readonly directory: string,
    private readonly cloud: ClusterCloud | undefined,
    private readonly images: ImageCatalog,
  ) {}

  /** Containers of `images` are processes. With a cloud, one of its hosts is a server, where the cloud's controllers run. */
  static async start(cloud?: ClusterCloud, images: LocalImagesInput = {}): Promise<TestCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'cluster-'));
    await writeLocalImages(directory, images);
    const cluster = new TestCluster(directory, cloud, new ImageCatalog(directory));
    await cluster.open();
    return cluster;
  }

  async stop(): Promise<void> {
    await this.running.close();
    await rm(this.directory, { recursive: true });
  }

  /** Applies manifests as an administrator and waits until the loops are done. */
  async apply(...manifests: readonly Manifest[]): Promise<void> {
    await applyManifests(this.running, manifests);
    await this.running.settled();
  }

  list<T extends KubeObject>(kind: KindDefinition<T>, namespace?: string): readonly T[] {
    return this.running.scope.cache.list(kind, namespace);
  }

  get<T extends KubeObject>(kind: KindDefinition<T>, name: string, namespace = 'default'): T {
    const found = this.running.scope.cache.find(kind, name, kind.namespaced ? namespace : '');
    if (!found) throw new Error(`There is no ${kind.kind} ${name}`);
    return found;
  }

  async patch(kind: KindDefinition, name: string, patch: unknown, namespace = 'default'): Promise<void> {
    const { group, version, plural } = kind;
    const ref = { group, version, plural, name, ...(kind.namespaced ? { namespace } : {}) };
    await this.running.api.patch(ref, patch, { type: 'merge' }, ADMIN);
    await this.running.settled();
  }

  async remove(kind: KindDefinition, name: string, namespace = 'default'): Promise<void> {
    await this.startRemoval(kind, name, namespace);
    await this.running.settled();
  }

  /** Does not wait for the loops. */
  async startRemoval(kind: KindDefinition, name: string, namespace = 'default'): Promise<void> {
    const { group, version, plural } = kind;
    await this.running.api.remove(
      { group, version, plural, name, ...(kind.namespaced ? { namespace } : {}) },
      {},
      ADMIN,
    );
  }

  /** As kubectl would create it: with every rule in force. */
  async create(kind: KindDefinition, body: Readonly<Record<string, unknown>>): Promise<KubeObject> {
    const { metadata = {}, ...rest } = body as { metadata?: { name?: string; namespace?: string } };
    const place = { name: 'x', ...(kind.namespaced ? { namespace: 'default' } : {}), ...metadata };
    const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: place, ...rest };
    return (await this.running.api.create(kind, object, {}, ADMIN)).object;
  }

  private async open(): Promise<void> {
    const names = [...(this.cloud ? ['server-0'] : []), 'worker-0', 'worker-1'];
    const members = names.map((nodeName, index) => {
      this.machines.add({ id: `i-${nodeName}`, privateAddress: `10.0.0.${index + 1}` });
      const roles: ClusterRecord['members'][number]['roles'] = [
        nodeName.startsWith('server') ? 'controlplane' : 'worker',
      ];
      return { machineId: `i-${nodeName}`, nodeName, address: `10.0.0.${index + 1}`, roles };
    });
    const record: ClusterRecord = {
      ...{ id: 'c-1', name: 'demo', createdAt: '', version: 'v1.31.4', hasControlPlane: true, members },
      network: {
        plugin: 'canal',
        podCidr: '10.42.0.0/16',
        serviceCidr: '10.43.0.0/16',
        dnsServer: '10.43.0.10',
        domain: 'cluster.local',
      },
      certificates: { ca: 'ca', serverCertificate: '', serverKey: '', serviceAccountKey: SIGNING_KEY },
    };
    this.running = await RunningCluster.open({
      directory: this.directory,
      record: () => record,
      machineOf: (name) => this.machines.find(`i-${name}`),
      ...(this.cloud ? { cloud: this.cloud } : {}),
      images: this.images,
      endpoint: () => ({ address: '127.0.0.1', port: 6443 }),
      latency: () => scaledLatency(0),
      logger: this.logger,
    });
    await ensureBaseObjects(this.running.scope, ['10.0.0.9']);
    for (const member of members) {
      const machine = this.machines.find(member.machineId);
      if (machine) await registerNode(this.running.scope, member, machine);
    }
    await this.running.settled();
  }
}
