import { describe, expect, it } from '@jest/globals';
import { RKE_STEPS, RkeProgress } from './rke-progress.js';

const UP_LOG = [
  'Running RKE version: v1.8.3',
  'Initiating Kubernetes cluster',
  '[certificates] Generating CA kubernetes certificates',
  'Building Kubernetes cluster',
  '[dialer] Setup tunnel for host [10.20.0.10]',
  '[network] Deploying port listener containers',
  '[certificates] Deploying kubernetes certificates to Cluster nodes',
  '[reconcile] Reconciling cluster state',
  'Pre-pulling kubernetes images',
  '[etcd] Building up etcd plane..',
  '[controlplane] Building up Controller Plane..',
  '[worker] Building up Worker Plane..',
  '[sync] Syncing nodes Labels and Taints',
  '[network] Setting up network plugin: canal',
  '[addons] Setting up coredns',
  'Finished building Kubernetes cluster successfully',
];

function read(kind: 'up' | 'remove', messages: readonly string[]): { step: number; message: string }[] {
  const progress = new RkeProgress(kind);
  return messages.flatMap((message) => progress.read({ level: 'info', message }) ?? []);
}

describe('RkeProgress', () => {
  it('counts every part of a whole run once', () => {
    const moves = read('up', UP_LOG);

    expect(moves.map(({ step }) => step)).toEqual(Array.from({ length: RKE_STEPS.up }, (_, index) => index + 1));
    expect(moves.at(-1)).toEqual({ step: RKE_STEPS.up, steps: RKE_STEPS.up, message: 'Kubernetes is up' });
  });

  it('counts a removal', () => {
    const moves = read('remove', [
      'Tearing down Kubernetes cluster',
      '[worker] Tearing down Worker Plane..',
      '[controlplane] Tearing down the Controller Plane..',
      '[etcd] Tearing down etcd plane..',
      '[hosts] Cleaning up host [10.20.0.10]',
      'Cluster removed successfully',
    ]);

    expect(moves).toHaveLength(RKE_STEPS.remove);
  });

  it('never goes back when the engine repeats or skips a part', () => {
    const moves = read('up', [
      'Building Kubernetes cluster',
      '[etcd] Building up etcd plane..',
      '[certificates] Deploying kubernetes certificates to Cluster nodes',
      '[etcd] Building up etcd plane..',
      '[worker] Building up Worker Plane..',
    ]);

    expect(moves.map(({ message }) => message)).toEqual([
      'Connecting to machines',
      'Starting etcd',
      'Starting workers',
    ]);
  });

  it('names a node on its way out', () => {
    const moves = read('up', ['[reconcile] Reconciling cluster state', '[hosts] Cordoning host [10.20.0.12]']);

    expect(moves.at(-1)).toMatchObject({ step: 5, message: 'Cordoning node 10.20.0.12' });
  });

  it('tells which node an upgrade is at, of the control plane and of the workers', () => {
    const moves = read('up', [
      '[etcd] Building up etcd plane..',
      '[controlplane] Processing controlplane hosts for upgrade 1 at a time',
      'Processing controlplane host demo-control-plane-0',
      'Processing controlplane host demo-control-plane-1',
      '[worker] Upgrading Worker Plane..',
      '[workerplane] Processing host demo-workers-0',
    ]);

    expect(moves.map(({ step, message }) => `${step} ${message}`)).toEqual([
      '7 Starting etcd',
      '8 Starting the control plane',
      '8 Bringing node demo-control-plane-0 up to date',
      '8 Bringing node demo-control-plane-1 up to date',
      '9 Starting workers',
      '9 Bringing node demo-workers-0 up to date',
    ]);
  });
});
