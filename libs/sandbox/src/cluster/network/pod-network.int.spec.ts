import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { eventually } from '@crate/testing';
import { POD } from '../kinds/pod.js';
import { SERVICE } from '../kinds/service.js';
import { STATEFUL_SET } from '../kinds/workloads.js';
import { FakeClusterCloud } from '../testing/fake-cluster-cloud.js';
import { TestCluster } from '../testing/running-cluster.js';
import { webImage } from '../testing/web-program.js';
import { findWithHosts } from './private-hosts.js';

jest.setTimeout(180_000);
const PATIENT = { timeoutMs: 60_000 };
const LABELS = { app: 'web' };
/** Machines whose kernel or container allows no mount namespace have no names to try. */
const isAllowed = (await findWithHosts()) !== undefined;
const whereAllowed = isAllowed ? it : it.skip;
const unless = isAllowed ? '' : ' (skipped: no mount namespace may be made here)';

function aService(name: string, spec: object = {}): Manifest {
  const ports = [{ port: 8000, targetPort: 'http' }];
  return {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
    spec: { selector: LABELS, ports, ...spec },
  };
}

function aSet(): Manifest {
  const container = {
    ...{ name: 'web', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] },
    env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 1 },
  };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' } },
    spec: {
      ...{ replicas: 2, podManagementPolicy: 'Parallel', serviceName: 'members', selector: { matchLabels: LABELS } },
      template: { metadata: { labels: LABELS }, spec: { containers: [container], terminationGracePeriodSeconds: 0 } },
    },
  };
}

/** The tests build on each other: what one leaves is what the next finds. */
describe('processes of a cluster', () => {
  let directory: string;
  let cluster: TestCluster;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'names-'));
    cluster = await TestCluster.start(new FakeClusterCloud(), { web: await webImage(directory) });
    await cluster.apply(
      aService('web'),
      aService('members', { clusterIP: 'None', publishNotReadyAddresses: true }),
      aSet(),
    );
    await eventually(() => Promise.all([ask('web-0', ''), ask('web-1', '')]), PATIENT);
  });
  afterAll(async () => {
    expect(cluster.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await cluster.stop();
    await rm(directory, { recursive: true });
  });

  const ask = async (pod: string, path: string): Promise<string> => {
    const answer = await fetch(`http://${cluster.get(POD, pod).status?.podIP}:8080/${path}`);
    return answer.ok ? (await answer.text()) && 'heard' : answer.text();
  };
  const nameAt = async (url: string): Promise<unknown> => {
    const answer = await fetch(`http://${cluster.get(POD, 'web-0').status?.podIP}:8080/ask?${url}`);
    const text = await answer.text();
    return answer.ok ? (JSON.parse(text) as { environment: { NAME: string } }).environment.NAME : text;
  };

  whereAllowed(`that are members of a set find each other by name before they are ready${unless}`, async () => {
    const url = 'http://web-1.members.default.svc:8080/';
    await eventually(async () => expect(await nameAt(url)).toBe('web-1'), PATIENT);
  });

  whereAllowed(`know a Service that nobody is ready behind, and are turned away${unless}`, async () => {
    expect(await nameAt('http://web:8000/')).toMatch(/ECONNRESET|EPIPE/);
  });

  whereAllowed.each(['web', 'web.default', 'web.default.svc', 'web.default.svc.cluster.local'])(
    `are led to a ready pod, at the port that it has, as %s${unless}`,
    async (name) => {
      await ask('web-1', 'open');
      await eventually(async () => expect(await nameAt(`http://${name}:8000/`)).toBe('web-1'), PATIENT);
    },
  );

  whereAllowed(`are led to where a pod went, though its address is another one${unless}`, async () => {
    await cluster.remove(POD, 'web-1');
    await eventually(() => ask('web-1', 'open'), PATIENT);
    await eventually(async () => expect(await nameAt('http://web:8000/')).toBe('web-1'), PATIENT);
    await eventually(async () => expect(await nameAt('http://web-1.members:8080/')).toBe('web-1'), PATIENT);
  });

  whereAllowed(`no longer know a Service that is gone${unless}`, async () => {
    await cluster.remove(SERVICE, 'web');
    await eventually(async () => expect(await nameAt('http://web:8000/')).toMatch(/ENOTFOUND|EAI_AGAIN/), PATIENT);
    expect(cluster.list(STATEFUL_SET)).toHaveLength(1);
  });
});
