import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLATFORM_STATUS_PATH, type Cluster, type Manifest, type PlatformStatus } from '@crate/api';
import {
  NAMESPACE,
  natsConfiguration,
  RELEASE,
  releaseSecrets,
  StagedChart,
  whyNoHelm,
  type ReleaseSecrets,
} from '@crate/helm-chart';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import { Installation, move } from '@crate/pivot';
import { writeLocalImages } from '@crate/sandbox';
import {
  CratePlatform,
  eventually,
  startNats,
  startPostgres,
  type NatsServer,
  type PostgresServer,
} from '@crate/testing';
import { Client } from 'pg';
import { CrateUser, isReady } from '../crate-user.js';
import { serviceImages, SERVICES } from './local-images.js';
import { carrierTo, withKeysOf } from './moved-keys.js';

const PATIENT = { timeoutMs: 240_000 };
const API_PORT = 6440;
const CLUSTER = 'platform';
const CLUSTER_PATH = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/${CLUSTER}`;
const GROUPS = ['lifecycle', 'cloud', 'cluster', 'policy'].map((name) => `${name}.crate.dev`);
const PODS = { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE } as const;
const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;

interface PodStatus {
  readonly podIP?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses?: readonly { readonly restartCount: number }[];
}

suite(`Crate in a cluster that Crate made${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let databaseUrl: string;
  let first: CratePlatform;
  let user: CrateUser;
  let cluster: TargetCluster;
  let secrets: ReleaseSecrets;

  beforeAll(async () => {
    postgres = await startPostgres();
    databaseUrl = (await postgres.createDatabase()).url;
    first = await CratePlatform.start({ isAllInOne: true });
    secrets = await withKeysOf(first.directory, await prepared(databaseUrl));
    nats = await startNats({ config: await natsConfiguration(secrets) });
    const { sandboxUrl } = JSON.parse(await readFile(join(first.directory, 'up.json'), 'utf8')) as {
      sandboxUrl: string;
    };
    const rke = join(first.directory, 'bin', 'rke');
    await writeLocalImages(join(first.directory, 'sandbox'), serviceImages({ sandboxUrl, rke }));
    user = await CrateUser.of(first);
    await user.applyQuickstart(CLUSTER);
    await user.untilReady(CLUSTER);
    const kubeconfig = await first.crate('clusters', 'kubeconfig', CLUSTER, '-n', 'team-a');
    cluster = new HttpTargetCluster(kubeconfig);
  });
  afterAll(async () => {
    await first?.remove();
    await nats?.stop();
    await postgres?.stop();
  });

  const status = async (service: string): Promise<PodStatus> => {
    const pod = await cluster.find({ ...PODS, name: `${RELEASE}-${service}-0` });
    return pod?.['status'] ?? {};
  };
  const ask = async (path: string, change?: object): Promise<string> =>
    askApi({ host: (await status('lifecycle')).podIP ?? '', path, change }, secrets);

  it('runs from its chart: four services that are ready, and one API before them', async () => {
    await install(cluster, secrets, nats.url);
    await eventually(async () => {
      for (const service of SERVICES) {
        const { conditions = [] } = await status(service);
        expect([service, conditions.find(({ type }) => type === 'Ready')?.status]).toEqual([service, 'True']);
      }
    }, PATIENT);
    const groups = await eventually(async () => {
      const text = await ask('/apis');
      for (const group of GROUPS) expect(text).toContain(group);
      return text;
    }, PATIENT);

    expect(groups).toContain('APIGroupList');
    // Its own, with nothing of the platform that made its cluster.
    expect(JSON.parse(await ask('/apis/lifecycle.crate.dev/v1alpha1/clusters'))).toMatchObject({ items: [] });
  });

  it('goes on when a process of it was killed, as a pod does', async () => {
    const before = await status('policy-mgmt');
    const pid = await eventually(async () => pidIn(await ask(PLATFORM_STATUS_PATH), 'policy-mgmt'), PATIENT);
    process.kill(pid, 'SIGKILL');

    await eventually(async () => {
      const { containerStatuses = [], conditions = [], podIP } = await status('policy-mgmt');
      expect(restartsOf({ containerStatuses })).toBe(restartsOf(before) + 1);
      expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
      expect(podIP).toBe(before.podIP);
    }, PATIENT);
  });

  it('takes over everything from the platform that made its cluster, that cluster too, and touches nothing in the cloud', async () => {
    const [before, inventory] = [await user.untilReady(CLUSTER), await first.inventory()];
    const source = await Installation.open({ url: await first.databaseUrl(), name: 'the first platform' });
    const target = await Installation.open({ url: databaseUrl, name: 'the platform in the cluster' });
    const keys = await carrierTo(join(first.directory, 'moved-keys'), first.directory, secrets);
    const { hasMoved } = await move({ source, target, keys });
    await Promise.all([source.close(), target.close()]);

    expect(hasMoved).toBe(true);
    await expect(user.applyDemo('late')).rejects.toThrow('moved');
    const after = await eventually(async () => {
      const found = JSON.parse(await ask(CLUSTER_PATH)) as Cluster;
      expect(isReady(found)).toBe(true);
      return found;
    }, PATIENT);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(await first.inventory()).toEqual(inventory);
  });

  it('keeps the cluster that it runs in: one node more', async () => {
    const { status: before } = JSON.parse(await ask(CLUSTER_PATH)) as Cluster;
    const nodePools = [{ name: 'workers', replicas: 3, machineType: 'm5.xlarge' }];
    await ask(CLUSTER_PATH, { spec: { nodePools } });
    await eventually(async () => {
      const found = JSON.parse(await ask(CLUSTER_PATH)) as Cluster;
      expect([isReady(found), found.status?.nodes?.ready]).toEqual([true, before!.nodes!.ready + 1]);
    }, PATIENT);
  });
});

/** Everything secret of a release in this database, whose roles are made. */
async function prepared(url: string): Promise<ReleaseSecrets> {
  const { host, pathname } = new URL(url);
  const secrets = await releaseSecrets({
    ...{ fullname: RELEASE, namespace: NAMESPACE, hosts: ['127.0.0.1'], adminDays: 1 },
    databaseUrl: `postgresql://${host}${pathname}`,
  });
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(secrets.sql ?? '');
  await client.end();
  return secrets;
}

/** What `kubectl apply --server-side` does with the chart; secrets first, and never in values. */
async function install(cluster: TargetCluster, { secrets }: ReleaseSecrets, natsUrl: string): Promise<void> {
  const chart = await StagedChart.make();
  const one = { replicas: 1, podDisruptionBudget: { enabled: false } };
  const objects = await chart.render({
    ...{ persistence: { enabled: false }, messaging: { url: natsUrl } },
    ...{ lifecycle: one, cloudMgmt: one, clusterMgmt: one, policyMgmt: one },
  });
  await chart.remove();
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  for (const object of [namespace, ...secrets, ...objects]) {
    const apply = (): Promise<unknown> =>
      cluster.applyObject(object as Manifest, { fieldManager: 'crate-bootstrap', force: true });
    // The namespace's ServiceAccount comes a moment after it.
    await eventually(apply, PATIENT);
  }
}

function restartsOf({ containerStatuses = [] }: PodStatus): number {
  return containerStatuses[0]?.restartCount ?? 0;
}

/** Process of a service's only replica, as the platform tells it. */
function pidIn(text: string, service: string): number {
  const { services } = JSON.parse(text) as PlatformStatus;
  const pid = services.find(({ name }) => name === service)?.replicas[0]?.pid;
  if (pid === undefined) throw new Error(`No replica of ${service}: ${text}`);
  return pid;
}

interface Question {
  readonly host: string;
  readonly path: string;
  /** A merge patch; without one the path is read. */
  readonly change?: object | undefined;
}

/** Trusts the authority of the release alone, by the name that its certificate has in the cluster. */
function askApi({ host, path, change }: Question, { ca, adminToken }: ReleaseSecrets): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/merge-patch+json' };
  const servername = `${RELEASE}-api.${NAMESPACE}.svc`;
  const method = change ? 'PATCH' : 'GET';
  return new Promise((resolve, reject) => {
    const asked = request({ host, port: API_PORT, servername, path, ca, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    asked.on('error', reject).end(change && JSON.stringify(change));
  });
}
