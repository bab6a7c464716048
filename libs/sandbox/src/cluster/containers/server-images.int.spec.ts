import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { readEnvironment } from '@crate/config';
import { findExecutable } from '@crate/process';
import { eventually, postgresBinaries } from '@crate/testing';
import pg from 'pg';
import { POD } from '../kinds/pod.js';
import { findRootlessWithHosts } from '../network/private-hosts.js';
import { FakeClusterCloud } from '../testing/fake-cluster-cloud.js';
import { TestCluster } from '../testing/running-cluster.js';
import { serverImages } from './server-images.js';

jest.setTimeout(180_000);
const PATIENT = { timeoutMs: 90_000 };
const PASSWORD = 'a "word" of $ome kind';
/** As root PostgreSQL needs a user namespace, and members of a cluster need names; some containers allow neither. */
const isAllowed = (await findRootlessWithHosts()) !== undefined;
const whereAllowed = isAllowed ? it : it.skip;
const unless = isAllowed ? '' : ' (skipped: no user namespace may be made here)';

const STORAGE_CLASS: Manifest = {
  ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'gp3' } },
  provisioner: 'ebs.csi.aws.com',
};
const SECRET: Manifest = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'postgres' } },
  data: { password: Buffer.from(PASSWORD).toString('base64') },
};

/** A headless Service and its set, with a volume at `/data`. */
function aSet(name: string, container: object, { replicas = 1, volumes = [] as readonly object[] } = {}): Manifest[] {
  const labels = { app: name };
  const claim = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'gp3',
    resources: { requests: { storage: '1Gi' } },
  };
  const data = [{ name: 'data', mountPath: '/data' }];
  const service = { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels, ports: [{ port: 1 }] };
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: service },
    {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name } },
      spec: {
        ...{ replicas, podManagementPolicy: 'Parallel', serviceName: name, selector: { matchLabels: labels } },
        template: {
          metadata: { labels },
          spec: { containers: [{ name, volumeMounts: data, ...container }], volumes },
        },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      },
    },
  ];
}

const POSTGRES = {
  image: 'postgres:17',
  args: ['-c', 'max_connections=17'],
  env: [
    { name: 'PGDATA', value: '/data/pgdata' },
    { name: 'POSTGRES_DB', value: 'shop' },
    { name: 'POSTGRES_PASSWORD_FILE', value: '/secret/password' },
  ],
  readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
  volumeMounts: [
    { name: 'data', mountPath: '/data' },
    { name: 'secret', mountPath: '/secret' },
  ],
};
const ADDRESS = [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
const routes = 'nats://members-0.members:6222,nats://members-1.members.default.svc.cluster.local:6222';
const MEMBER = {
  ...{ image: 'nats:2.11', env: ADDRESS },
  args: ['-m', '8222', '--cluster_name', 'm', '--cluster', 'nats://$(POD_IP):6222', '--routes', routes],
};

describe('images of servers in a simulated cluster', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    const natsServer = await findExecutable('nats-server', `${readEnvironment()['PATH'] ?? ''}:/usr/sbin`);
    const programs = { postgres: await postgresBinaries(), ...(natsServer === undefined ? {} : { natsServer }) };
    cluster = await TestCluster.start(new FakeClusterCloud(), serverImages(programs));
    await cluster.apply(STORAGE_CLASS, SECRET);
  });
  afterAll(async () => {
    expect(cluster.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await cluster.stop();
  });

  const addressOf = (name: string): string => cluster.get(POD, name).status?.podIP ?? '';
  const replaced = async (name: string): Promise<void> => {
    const { uid } = cluster.get(POD, name).metadata;
    await cluster.remove(POD, name);
    await eventually(() => expect(cluster.get(POD, name).metadata.uid).not.toBe(uid), PATIENT);
  };
  const query = async (text: string): Promise<unknown[]> => {
    const client = new pg.Client({
      host: addressOf('postgres-0'),
      user: 'postgres',
      password: PASSWORD,
      database: 'shop',
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };

  whereAllowed(
    `postgres makes the database that it is asked for, and keeps what was written over pods${unless}`,
    async () => {
      const volumes = [{ name: 'secret', secret: { secretName: 'postgres' } }];
      await cluster.apply(...aSet('postgres', POSTGRES, { volumes }));
      await eventually(() => query('CREATE TABLE IF NOT EXISTS orders AS SELECT 42 AS id'), PATIENT);
      expect(await query('SHOW max_connections')).toEqual([{ max_connections: '17' }]);
      await replaced('postgres-0');

      expect(await eventually(() => query('SELECT id FROM orders'), PATIENT)).toEqual([{ id: 42 }]);
      const log = cluster.running.scope.pods?.logOf(cluster.get(POD, 'postgres-0'), 'postgres');
      expect(log).not.toContain('not properly shut down');
    },
  );

  it('nats keeps a stream over pods', async () => {
    await cluster.apply(...aSet('nats', { image: 'nats:2.11', args: ['nats-server', '--jetstream'] }));
    const stream = { name: 'orders', subjects: ['orders'] };
    const ask = (subject: string, body: object = {}): Promise<string> =>
      askNats(addressOf('nats-0'), `$JS.API.${subject}`, JSON.stringify(body));
    await eventually(async () => expect(await ask('STREAM.CREATE.orders', stream)).toContain('"created"'), PATIENT);
    await replaced('nats-0');

    await eventually(async () => expect(await ask('STREAM.NAMES')).toContain('"streams":["orders"]'), PATIENT);
  });

  whereAllowed(`members of a nats cluster find each other by name${unless}`, async () => {
    await cluster.apply(...aSet('members', MEMBER, { replicas: 2 }));

    await eventually(async () => {
      const answer = await fetch(`http://${addressOf('members-0')}:8222/routez`);
      expect(await answer.json()).toMatchObject({ routes: [{ ip: expect.stringMatching(/^127\./) }] });
    }, PATIENT);
  });
});

/** One request of the protocol of NATS. Source: https://docs.nats.io/reference/reference-protocols/nats-protocol */
async function askNats(host: string, subject: string, body: string): Promise<string> {
  const socket = connect({ host, port: 4222 });
  // A server on its way out may reset it; nothing is heard then.
  socket.on('error', () => undefined);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  try {
    await once(socket, 'connect');
    const request = ['CONNECT {"verbose":false}', 'SUB answer 1', `PUB ${subject} answer ${Buffer.byteLength(body)}`];
    socket.write(`${[...request, body].join('\r\n')}\r\n`);
    await eventually(() => /^MSG answer.*\r\n.*\r\n/m.test(heard), { timeoutMs: 10_000 });
    return heard;
  } finally {
    socket.destroy();
  }
}
