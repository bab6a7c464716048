import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster, KubeObject } from '@crate/api';
import { unauthenticated, unavailable } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { ProgressView } from '../progress/progress-view.js';
import { aCluster, aPhase, readyStatus } from '../testing/a-cluster.js';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import { createMissing, followCluster, reasonOf } from './example.js';

const GROUP = '/apis/lifecycle.crate.dev/v1alpha1';
const FILE = `
apiVersion: lifecycle.crate.dev/v1alpha1
kind: Project
metadata: { name: team-a }
---
apiVersion: lifecycle.crate.dev/v1alpha1
kind: Cluster
metadata: { name: demo, namespace: team-a }
spec: { region: us-east-1 }
`;

/** An API that holds objects by path and lists its kinds once it is asked the second time. */
class FakeApi {
  readonly objects = new Map<string, unknown>();
  readonly created: string[] = [];
  private asked = 0;

  get client(): ApiClient {
    return this as unknown as ApiClient;
  }

  find(path: string): Promise<unknown> {
    return Promise.resolve(this.objects.get(path));
  }

  get(path: string): Promise<unknown> {
    expect(path).toBe(GROUP);
    this.asked += 1;
    const resources = [
      { name: 'projects', kind: 'Project', namespaced: false },
      { name: 'clusters', kind: 'Cluster', namespaced: true },
    ];
    return Promise.resolve({ resources: this.asked > 1 ? resources : [] });
  }

  create(path: string, object: KubeObject): Promise<unknown> {
    const [collection = '', query] = path.split('?');
    expect(query).toBe('fieldManager=kubectl-client-side-apply');
    const own = `${collection}/${object.metadata.name}`;
    this.created.push(own);
    this.objects.set(own, object);
    return Promise.resolve(object);
  }
}

class RecordingView extends ProgressView {
  readonly seen: Cluster[] = [];

  override update(cluster: Cluster): void {
    this.seen.push(cluster);
  }

  override close(): void {
    // Nothing is drawn.
  }
}

let dir: DataDir;
let file: string;
const never = new AbortController().signal;
beforeEach(async () => {
  dir = await temporaryDataDir();
  file = join(dir.root, 'example.yaml');
  await writeFile(file, FILE);
});
afterEach(async () => removeDataDir(dir));

describe('createMissing', () => {
  it('waits until the kinds are served, creates in the order of the file, and gives the cluster', async () => {
    const api = new FakeApi();
    const document = await createMissing(api.client, file, never);

    expect(api.created).toEqual([`${GROUP}/projects/team-a`, `${GROUP}/namespaces/team-a/clusters/demo`]);
    expect(document).toMatchObject({ kind: 'Cluster', metadata: { name: 'demo' } });
    const stored = api.objects.get(`${GROUP}/projects/team-a`) as KubeObject;
    const remembered = stored.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '';
    expect(JSON.parse(remembered)).toMatchObject({ kind: 'Project', metadata: { name: 'team-a' } });
  });

  it('leaves alone what people changed since an earlier start', async () => {
    const api = new FakeApi();
    const path = `${GROUP}/namespaces/team-a/clusters/demo`;
    const changed = { spec: { region: 'eu-central-1' } };
    api.objects.set(path, changed);

    expect(await createMissing(api.client, file, never)).toBeDefined();
    expect(api.created).toEqual([`${GROUP}/projects/team-a`]);
    expect(api.objects.get(path)).toBe(changed);
  });

  it('gives nothing for a file without a cluster', async () => {
    await writeFile(file, FILE.split('---')[0] ?? '');
    expect(await createMissing(new FakeApi().client, file, never)).toBeUndefined();
  });
});

describe('followCluster', () => {
  function answering(...answers: (Cluster | undefined | Error)[]): ApiClient {
    const left = [...answers];
    const find = (): Promise<KubeObject | undefined> => {
      const next = left.length > 1 ? left.shift() : left[0];
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    };
    return { find } as unknown as ApiClient;
  }

  const running = aCluster({ phases: [aPhase('Infrastructure', 'Running', '1/9 aws_vpc.main')] });

  it('shows every state until the cluster is ready at its newest spec', async () => {
    const view = new RecordingView();
    const outdated = aCluster(readyStatus(1), 2);
    const ready = aCluster(readyStatus(2), 2);
    const found = await followCluster(answering(undefined, running, outdated, ready), '/x', view, never);

    expect(found).toEqual(ready);
    expect(view.seen).toEqual([running, outdated, ready]);
  });

  it('goes on over an outage of the API', async () => {
    const view = new RecordingView();
    const ready = aCluster(readyStatus());
    expect(
      await followCluster(answering(unavailable('down'), running, unavailable('down'), ready), '/x', view, never),
    ).toBe(ready);
  });

  it('ends when nobody is signed in any more, which no waiting mends', async () => {
    const following = followCluster(
      answering(running, unauthenticated('sign in')),
      '/x',
      new RecordingView(),
      AbortSignal.timeout(60_000),
    );
    await expect(following).rejects.toMatchObject({ code: 'Unauthenticated' });
  });

  it('ends when the cluster was deleted meanwhile', async () => {
    expect(await followCluster(answering(running, undefined), '/x', new RecordingView(), never)).toBeUndefined();
  });

  it('ends at the signal with what was seen last', async () => {
    const controller = new AbortController();
    const view = new RecordingView();
    const following = followCluster(answering(running), '/x', view, controller.signal);
    controller.abort();
    expect(await following).toBe(running);
  });
});

describe('reasonOf', () => {
  const failure = { code: 'QuotaExceeded', message: 'Too many instances', remedy: 'Ask for more', retryable: true };
  const waiting = { type: 'Ready', status: 'False', reason: 'X', message: 'Nodes join' } as const;
  const lastTransitionTime = '2026-01-01T00:00:00Z';

  it.each([
    {
      reason: 'the failure with its remedy',
      status: { failure },
      want: 'QuotaExceeded: Too many instances: Ask for more',
    },
    { reason: 'the condition', status: { conditions: [{ ...waiting, lastTransitionTime }] }, want: 'Nodes join' },
    { reason: 'that nothing is known', status: undefined, want: 'Nothing known yet' },
  ])('gives $reason', ({ status, want }) => {
    expect(reasonOf(aCluster(status))).toBe(want);
  });
});
