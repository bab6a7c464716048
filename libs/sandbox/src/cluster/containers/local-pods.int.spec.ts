import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { eventually } from '@crate/testing';
import { JOB } from '../kinds/batch.js';
import { POD, type Pod } from '../kinds/pod.js';
import { ENDPOINTS } from '../kinds/service.js';
import { STATEFUL_SET } from '../kinds/workloads.js';
import { FakeClusterCloud } from '../testing/fake-cluster-cloud.js';
import { TestCluster } from '../testing/running-cluster.js';
import { webImage } from '../testing/web-program.js';

const PATIENT = { timeoutMs: 60_000 };
const IMAGE = 'registry.example.com:5000/team/web';
const LABELS = { app: 'web' };
const VALUES = { LEVEL: 'debug' };
const SECRET: Manifest = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'words' } },
  data: { message: Buffer.from('Hello').toString('base64') },
};
const CONFIG: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'values' }, data: VALUES };
const SERVICE: Manifest = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } },
  spec: { selector: LABELS, ports: [{ port: 80, targetPort: 8080 }] },
};
const STORAGE_CLASS: Manifest = {
  ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'gp3' } },
  provisioner: 'ebs.csi.aws.com',
};
const PERIOD = { periodSeconds: 1 };
const probe = (path: string): object => ({ httpGet: { path, port: 'http' }, ...PERIOD });

function aSet(container: object = {}, pod: object = {}): Manifest {
  const web = {
    name: 'web',
    image: `${IMAGE}:1.2@sha256:${'0'.repeat(64)}`,
    args: ['--name=$(NAME)', '--file=/words/text'],
    env: [
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'values', key: 'LEVEL' } } },
      { name: 'WORD', valueFrom: { secretKeyRef: { name: 'words', key: 'message' } } },
      { name: 'MESSAGE_FILE', value: '/words/text' },
      { name: 'DATA', value: '/data/notes' },
    ],
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: probe('/readyz'),
    volumeMounts: [
      { name: 'words', mountPath: '/words' },
      { name: 'data', mountPath: '/data' },
    ],
    ...container,
  };
  const volumes = [
    { name: 'words', secret: { secretName: 'words', items: [{ key: 'message', path: 'text' }] } },
    { name: 'scratch', emptyDir: {} },
  ];
  return {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' } },
    spec: {
      ...{ replicas: 1, serviceName: 'web', selector: { matchLabels: LABELS } },
      template: { metadata: { labels: LABELS }, spec: { containers: [web], volumes, ...pod } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'gp3',
            resources: { requests: { storage: '1Gi' } },
          },
        },
      ],
    },
  };
}

describe('pods whose images are programs of this machine', () => {
  let directory: string;
  let cluster: TestCluster;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'local-pods-'));
    cluster = await TestCluster.start(new FakeClusterCloud(), { [IMAGE]: await webImage(directory) });
    await cluster.apply(STORAGE_CLASS);
  });
  afterEach(async () => {
    expect(cluster.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await cluster.stop();
    await rm(directory, { recursive: true });
  });

  const pod = (name = 'web-0'): Pod => cluster.get(POD, name);
  const statusOf = (name?: string): NonNullable<Pod['status']>['containerStatuses'] =>
    pod(name).status?.containerStatuses;
  const ask = (path: string): Promise<Response> => fetch(`http://${pod().status?.podIP}:8080${path}`);
  const told = (status: object): Promise<void> => eventually(() => expect(statusOf()).toMatchObject([status]), PATIENT);
  const page = async (): Promise<{ environment: Record<string, string>; arguments: string[]; message: string }> =>
    (await (await ask('/')).json()) as never;
  const runs = async (container: object = {}): Promise<void> => {
    await cluster.apply(SECRET, CONFIG, aSet({ readinessProbe: undefined, ...container }));
    await eventually(() => ask('/'), PATIENT);
  };
  const signalled = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('run with the variables and files that they ask for, at an address of their own', async () => {
    await runs();
    const { environment, arguments: given, message } = await page();

    expect(environment).toMatchObject({ NAME: 'web-0', LEVEL: 'debug', WORD: 'Hello' });
    expect(environment['PROGRAM_FILE']).toBe(join(directory, 'web.mjs'));
    expect(environment['HOST']).toBe(pod().status?.podIP);
    expect(environment['HOME']).toBeUndefined();
    expect(message).toBe('Hello');
    expect(given).toEqual(['--name=web-0', `--file=${environment['MESSAGE_FILE']}`]);
  });

  it('run as they lie on this machine, also where the container has a volume', async () => {
    await runs({
      args: [],
      volumeMounts: [{ name: 'scratch', mountPath: tmpdir() }],
      env: [{ name: 'DATA', value: `${tmpdir()}/n` }],
    });
    const { environment } = await page();

    expect(environment['PROGRAM_FILE']).toBe(join(directory, 'web.mjs'));
    expect(environment['DATA']).toMatch(/\/volumes\/scratch\/n$/);
  });

  it('are told where the API of their cluster is, and who they are to it', async () => {
    const sources = [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    ];
    const container = {
      env: [{ name: 'TOKEN', value: '/access/token' }],
      volumeMounts: [{ name: 'access', mountPath: '/access' }],
      readinessProbe: undefined,
    };
    await cluster.apply(aSet(container, { volumes: [{ name: 'access', projected: { sources } }] }));
    await eventually(() => ask('/'), PATIENT);
    const { environment } = await page();

    expect(environment).toMatchObject({ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '6443' });
    const token = await readFile(environment['TOKEN'] ?? '', 'utf8');
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'system:serviceaccount:default:default' });
    expect(await readFile(join(environment['TOKEN'] ?? '', '../ca.crt'), 'utf8')).toBe('ca');
  });

  it('count as ready, for their Service too, once they say so and not before', async () => {
    await cluster.apply(SECRET, CONFIG, SERVICE, aSet());
    await eventually(() => ask('/'), PATIENT);
    await told({ ready: false, started: true });
    const address = pod().status?.podIP;
    expect(cluster.get(ENDPOINTS, 'web').subsets).toMatchObject([{ notReadyAddresses: [{ ip: address }] }]);

    await ask('/open');
    await told({ ready: true });
    await eventually(() => {
      expect(cluster.get(ENDPOINTS, 'web').subsets).toMatchObject([
        { addresses: [{ ip: address }], ports: [{ port: 8080 }] },
      ]);
    }, PATIENT);
  });

  it('are started again when they end, and tell how they ended', async () => {
    await runs();
    await ask('/exit?3').catch(() => undefined);

    await told({
      restartCount: 1,
      state: { running: {} },
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    });
    await eventually(() => {
      expect(cluster.running.scope.pods?.logOf(pod(), 'web')).toBe('listening\nlistening\n');
    }, PATIENT);
  });

  it('are started again when they no longer answer their liveness probe', async () => {
    // A machine that is slow to start it, or to answer, is no reason: a bad answer alone is.
    await runs({
      startupProbe: { ...probe('/'), failureThreshold: 600 },
      livenessProbe: { ...probe('/healthz'), failureThreshold: 1, timeoutSeconds: 600 },
    });
    expect(statusOf()).toMatchObject([{ restartCount: 0 }]);
    await ask('/hang');

    await told({ restartCount: 1, state: { running: {} } });
  });

  it('wait for what they need, and say what that is', async () => {
    await cluster.apply(CONFIG, aSet());
    await told({
      state: { waiting: { reason: 'CreateContainerConfigError', message: expect.stringContaining('words') } },
    });

    await cluster.apply(SECRET);
    await eventually(() => ask('/'), PATIENT);
  });

  it('are not started otherwise than asked for', async () => {
    await cluster.apply(SECRET, CONFIG, aSet({ livenessProbe: { exec: { command: ['true'] } } }));

    await told({ state: { waiting: { message: expect.stringContaining('cannot ask') } } });
  });

  it('end in order when their pod goes, and the next of the name begins after that, on the same data', async () => {
    await cluster.apply(
      SECRET,
      CONFIG,
      aSet({
        env: [
          { name: 'DATA', value: '/data/notes' },
          { name: 'MESSAGE_FILE', value: '/data/notes' },
        ],
        readinessProbe: undefined,
      }),
    );
    await eventually(() => ask('/'), PATIENT);
    const { uid } = pod().metadata;
    await cluster.remove(POD, 'web-0');

    await eventually(() => expect(pod().metadata.uid).not.toBe(uid), PATIENT);
    const { message } = await eventually(page, PATIENT);
    expect(message).toMatch(/^began (\d+)\nended \1\nbegan (?!\1)\d+\n$/);
  });

  it('end when their set goes', async () => {
    await runs({
      env: [
        { name: 'MESSAGE_FILE', value: '/data/notes' },
        { name: 'DATA', value: '/data/notes' },
      ],
    });
    const pid = Number(/began (\d+)/.exec((await page()).message)?.[1]);
    expect(signalled(pid)).toBe(true);
    await cluster.remove(STATEFUL_SET, 'web');

    await eventually(() => expect(signalled(pid)).toBe(false), PATIENT);
  });

  it.each([
    [0, 'Succeeded'],
    [2, 'Failed'],
  ])('of a job that end with %d have %s', async (code, phase) => {
    const run = { name: 'run', image: IMAGE, command: [process.execPath, '-e', `process.exit(${code})`] };
    const template = { spec: { containers: [run], restartPolicy: 'Never' } };
    await cluster.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once' },
      spec: { template, backoffLimit: 0 },
    });

    await eventually(() => expect(cluster.list(POD).map(({ status }) => status?.phase)).toContain(phase), PATIENT);
    expect(cluster.list(JOB)).toHaveLength(1);
  });

  it('leave those of all other images as they were: a status and no process', async () => {
    await cluster.apply(SECRET, CONFIG, aSet({ image: 'registry.example.com:5000/team/web-2' }));

    await told({ ready: true, restartCount: 0 });
    expect(cluster.running.scope.pods?.observe(pod())).toBeUndefined();
  });
});
