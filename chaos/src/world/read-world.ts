import { join } from 'node:path';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import type { Convergence } from '../random/converge.js';
import type { Acknowledged } from '../users/ledger.js';
import type { Observers } from '../watch/observers.js';
import { readCloud } from './cloud-journal.js';
import { byKind, type Mark } from './followed.js';
import type { KeptChanges } from './kept-changes.js';
import type { KeptCloud } from './kept-cloud.js';
import { isReady, type KubeObject } from './kube-object.js';
import type { LeakScan } from './leaks.js';
import { readSecrets, type Opened } from './secrets.js';
import { readTarget } from './target-cluster.js';
import { planAgain } from './terraform-plan.js';
import type { World } from './world.js';

export interface ReadWorldOptions extends Convergence {
  readonly platform: ChaosPlatform;
  readonly observers: Observers;
  readonly acknowledged: readonly Acknowledged[];
  readonly boundMs: number;
  /** From before what happened. */
  readonly log: KeptChanges;
  /** Likewise; undefined: nobody carries out plans. */
  readonly doings?: KeptCloud;
  readonly meddled?: readonly string[];
  readonly leakScan: LeakScan;
}

/** Reads everything that invariants look at. The observers stop. */
export async function readWorld(options: ReadWorldOptions): Promise<World> {
  const { platform, observers, log, doings, meddled = [], leakScan, ...told } = options;
  const { records } = platform;
  const newest = Object.entries((await log.read()).changes).map(([kind, list]) => [kind, list.at(-1)?.revision ?? 0]);
  const watched = await observers.stop(Object.fromEntries(newest) as Mark);
  // Once nobody watches any more, so that everything that was seen is in there.
  const { changes, since, gaps } = await log.read();
  const floors = await byKind((_kind, { schema }) => records.floor(schema));
  const opened = await readSecrets(platform);
  const infrastructures = await records.objects('cloud_mgmt', 'Infrastructure');
  const kubernetesClusters = await records.objects('cluster_mgmt', 'KubernetesCluster');
  const accounts = await records.objects('cloud_mgmt', 'CloudAccount');
  const runs = await records.runs();
  return {
    ...told,
    cloud: await readCloud(join(platform.directory, 'sandbox')),
    clusters: await records.objects('lifecycle', 'Cluster'),
    infrastructures,
    kubernetesClusters,
    targets: await targetsOf(kubernetesClusters, opened),
    addOnInstallations: await records.objects('cluster_mgmt', 'AddOnInstallation'),
    accounts,
    deletionRecords: await records.objects('cloud_mgmt', 'DeletionRecord'),
    classes: await records.objects('lifecycle', 'ClusterClass'),
    classRevisions: await records.objects('lifecycle', 'ClusterClassRevision'),
    userPlans: await records.objects('lifecycle', 'Plan'),
    states: opened.states,
    engineStates: opened.engineStates,
    kubeconfigs: opened.kubeconfigs,
    credentials: opened.credentials,
    unopened: opened.unopened,
    secretOwners: opened.owners,
    runs,
    ...((await doings?.read()) ?? { cloudChanges: [], keptRuns: [] }),
    meddled,
    lockSightings: observers.locks.sightings(new Map(runs.map(({ id, owner }) => [id, owner]))),
    changes,
    since,
    gaps,
    floors,
    watched,
    earlyEnds: observers.earlyEnds,
    plans: await plansOf(platform, { infrastructures, accounts, opened }),
    leaks: await leakScan.look(opened.plain),
  };
}

/** Looks into every cluster that is Ready, by the kubeconfig that was handed out last. */
async function targetsOf(clusters: readonly KubeObject[], { kubeconfigs }: Opened): Promise<World['targets']> {
  const targets: Record<string, World['targets'][string]> = {};
  for (const { metadata } of clusters.filter(isReady)) {
    const newest = kubeconfigs.filter(({ owner }) => owner === metadata.uid).at(-1);
    targets[metadata.uid] = newest
      ? await readTarget(newest.content).catch((error: unknown) => `it does not answer: ${String(error)}`)
      : 'there is no kubeconfig of it';
  }
  return targets;
}

interface Planned {
  readonly infrastructures: readonly KubeObject[];
  readonly accounts: readonly KubeObject[];
  readonly opened: Opened;
}

/** Plans every Infrastructure again that is not on its way out. */
async function plansOf(
  platform: ChaosPlatform,
  { infrastructures, accounts, opened }: Planned,
): Promise<Readonly<Record<string, string | undefined>>> {
  const plans: Record<string, string | undefined> = {};
  for (const { metadata, spec } of infrastructures.filter((each) => each.metadata.deletionTimestamp === undefined)) {
    const { region, accountRef } = spec as { region: string; accountRef: { name: string } };
    const account = accounts.find(
      (each) => each.metadata.name === accountRef.name && each.metadata.namespace === metadata.namespace,
    );
    const newest = opened.states.filter(({ owner }) => owner === metadata.uid).at(-1);
    if (!newest) {
      plans[metadata.name] = 'there is no stored state';
      continue;
    }
    plans[metadata.name] = await planAgain({
      sandboxUrl: platform.sandbox.url,
      workspaces: platform.workspaces.map((directory) => join(directory, 'workspaces', metadata.uid)),
      state: newest.bytes,
      account: String(account?.spec?.['accountId']),
      region,
    }).catch((error: unknown) => `planning again fails: ${String(error)}`);
  }
  return plans;
}
