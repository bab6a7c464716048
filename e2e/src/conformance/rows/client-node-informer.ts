import assert from 'node:assert/strict';
import {
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node';
import { eventually } from '@crate/testing';
import type { ConformanceBench } from '../bench.js';
import { aCluster, anAccount, type Document } from '../documents.js';
import { FlakyProxy } from '../flaky-proxy.js';
import type { Row } from '../row.js';

export interface InformerScope {
  readonly bench: ConformanceBench;
  readonly config: KubeConfig;
  readonly project: string;
}

interface Collection {
  readonly group: string;
  readonly plural: string;
  readonly schema: string;
  readonly anObject: (name: string) => Document;
}

const CLUSTERS: Collection = {
  group: 'lifecycle.crate.dev',
  plural: 'clusters',
  schema: 'lifecycle',
  anObject: (name) => aCluster(name),
};
const ACCOUNTS: Collection = {
  group: 'cloud.crate.dev',
  plural: 'cloudaccounts',
  schema: 'cloud_mgmt',
  anObject: anAccount,
};
const OBJECTS = 60;
const CUTS = 12;
const RESTART_MS = 20;

/** The informer, over networks that break and logs that end. */
export function informerRows(scope: InformerScope): readonly Row[] {
  return [CLUSTERS, ACCOUNTS].flatMap((collection): Row[] => {
    const where = collection === CLUSTERS ? 'own kind' : 'over NATS';
    return [
      {
        capability: `informer misses nothing while its connections are cut (${where})`,
        run: () => withFollower(scope, collection, (follower) => surviveCuts(scope, collection, follower)),
      },
      {
        capability: `informer lists anew after 410 and misses nothing (${where})`,
        run: () => withFollower(scope, collection, (follower) => surviveCompaction(scope, collection, follower)),
        // The log is compacted, which other watches would notice.
        isAlone: true,
      },
    ];
  });
}

async function surviveCuts(scope: InformerScope, { anObject }: Collection, follower: Follower): Promise<void> {
  for (let index = 0; index < OBJECTS; index += 1) {
    await scope.bench.admin.apply(anObject(`cut-${index}`), scope.project);
    if (index % (OBJECTS / CUTS) === 0) follower.proxy.cut();
  }
  await follower.isUpToDate();
  assert.ok(follower.disconnects >= 2, `it was disconnected only ${follower.disconnects} times`);
}

async function surviveCompaction(scope: InformerScope, collection: Collection, follower: Follower): Promise<void> {
  const { bench, project } = scope;
  const path = `/apis/${collection.group}/v1alpha1/namespaces/${project}/${collection.plural}`;
  await bench.admin.apply(collection.anObject('removed-unseen'), project);
  await follower.isUpToDate();
  follower.proxy.close();
  await bench.admin.apply(collection.anObject('made-unseen'), project);
  await bench.admin.call('DELETE', `${path}/removed-unseen`);
  await bench.compactLog(collection.schema);
  follower.proxy.open();
  await follower.isUpToDate();
  assert.ok(follower.deleted.has('removed-unseen'), 'the deletion it did not see is told when it lists anew');
}

async function withFollower(
  { bench, config, project }: InformerScope,
  { group, plural }: Collection,
  work: (follower: Follower) => Promise<void>,
): Promise<void> {
  const proxy = await FlakyProxy.to(bench.admin.access.url);
  const path = `/apis/${group}/v1alpha1/namespaces/${project}/${plural}`;
  const custom = through(config, proxy.url);
  const api = custom.makeApiClient(CustomObjectsApi);
  const list = () => api.listNamespacedCustomObject({ group, version: 'v1alpha1', namespace: project, plural });
  const follower = new Follower(makeInformer(custom, path, list as never), proxy, async () => {
    const { items } = (await bench.admin.get(path)).body;
    return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  });
  try {
    await follower.start();
    await work(follower);
  } finally {
    await follower.stop();
    await proxy.stop();
  }
}

/** The same user at another address. */
function through({ clusters, users, contexts, currentContext }: KubeConfig, server: string): KubeConfig {
  const other = new KubeConfig();
  const moved = clusters.map((cluster) => ({ ...cluster, server }));
  other.loadFromOptions({ clusters: moved, users, contexts, currentContext });
  return other;
}

/** What an informer says exists; started again after each error, as its documentation says. */
class Follower {
  readonly deleted = new Set<string>();
  disconnects = 0;
  /** Version by name. */
  private readonly known = new Map<string, string>();
  private isStopped = false;

  constructor(
    private readonly informer: Informer<KubernetesObject>,
    readonly proxy: FlakyProxy,
    private readonly stored: () => Promise<ReadonlyMap<string, string>>,
  ) {
    informer.on('add', (object) => this.note(object));
    informer.on('update', (object) => this.note(object));
    informer.on('delete', (object) => this.forget(object));
    informer.on('error', () => {
      this.disconnects += 1;
      this.startAgain();
    });
  }

  start(): Promise<void> {
    return this.informer.start();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.informer.stop();
  }

  /** Resolves once it knows just what the server has, each in its newest version. */
  async isUpToDate(): Promise<void> {
    await eventually(async () => assert.deepEqual(sorted(this.known), sorted(await this.stored())), {
      timeoutMs: 60_000,
    });
  }

  private note({ metadata }: KubernetesObject): void {
    this.known.set(metadata?.name ?? '', metadata?.resourceVersion ?? '');
  }

  private forget({ metadata }: KubernetesObject): void {
    this.deleted.add(metadata?.name ?? '');
    this.known.delete(metadata?.name ?? '');
  }

  private startAgain(): void {
    const timer = setTimeout(() => {
      if (!this.isStopped) this.informer.start().catch(() => this.startAgain());
    }, RESTART_MS);
    timer.unref();
  }
}

function sorted(versions: ReadonlyMap<string, string>): [string, string][] {
  return [...versions].sort(([left], [right]) => (left < right ? -1 : 1));
}
