import type { Acknowledged } from '../users/ledger.js';
import type { CloudObject } from './cloud-journal.js';
import type { Mark } from './followed.js';
import type { Gap } from './gap.js';
import type { CloudChange } from './kept-cloud.js';
import type { KubeObject } from './kube-object.js';
import type { Change, RunRow } from './records.js';

/** One stored version of a Terraform state. */
export interface StoredState {
  readonly owner: string;
  /** Of the store. */
  readonly version: number;
  /** Terraform's own. */
  readonly serial: number;
  readonly lineage: string;
  /** Digest of what it says, without resources that have no instances: Terraform does not count those as a difference either. */
  readonly substance: string;
  readonly resources: readonly { readonly address: string; readonly type: string; readonly id: string }[];
  /** Version that somebody put in place again with it; undefined: a run wrote it. */
  readonly restored?: number;
}

/** Credentials of an account: the one in use has their fingerprint. */
export interface StoredCredentials {
  readonly owner: string;
  readonly fingerprint: string;
  readonly accessKeyId: string;
}

/** One stored version of the state of an engine. */
export interface EngineState {
  readonly owner: string;
  readonly version: number;
  /** Fingerprint of the authority that the cluster's certificates are of; undefined before there is one. */
  readonly authority: string | undefined;
}

/** A kubeconfig that is handed out. */
export interface StoredKubeconfig {
  readonly owner: string;
  readonly version: number;
  /** Fingerprint of the authority that it trusts. */
  readonly authority: string;
}

/** What is in a cluster, as it says itself. */
export interface Target {
  readonly nodes: readonly { readonly name: string; readonly address: string; readonly version: string }[];
  /** Names of add-ons that have a workload there. */
  readonly addOns: readonly string[];
}

/** Two process groups that were seen at work at once for one owner, in these workspaces. */
export interface LockSighting {
  readonly owner: string;
  readonly workspaces: readonly [string, string];
  readonly groups: readonly [number, number];
}

/** What one client saw of one kind. */
export interface WatchedKind {
  readonly watcher: string;
  readonly kind: string;
  /** Spans that were followed without a new list. */
  readonly spans: readonly WatchedSpan[];
  /** Revision that it was given time to see. */
  readonly wanted: number;
}

export interface WatchedSpan {
  /** Revision of the list that it began with. */
  readonly from: number;
  /** Newest revision that was seen or said. */
  readonly to: number;
  readonly events: readonly { readonly type: string; readonly uid: string; readonly revision: number }[];
  /** The server said that it does not know any more what came after it (410). */
  readonly isForgotten: boolean;
}

/** Cloud objects that were there when their owner's record was seen to be gone. */
export interface EarlyEnd {
  readonly uid: string;
  readonly left: readonly CloudObject[];
}

/** Everything that invariants look at, as it was read from outside. */
export interface World {
  readonly cloud: readonly CloudObject[];
  readonly clusters: readonly KubeObject[];
  readonly infrastructures: readonly KubeObject[];
  readonly kubernetesClusters: readonly KubeObject[];
  readonly addOnInstallations: readonly KubeObject[];
  /** By uid of the KubernetesCluster; a text says why nobody could look. */
  readonly targets: Readonly<Record<string, Target | string>>;
  readonly accounts: readonly KubeObject[];
  readonly deletionRecords: readonly KubeObject[];
  /** Templates of the platform team, and every state of them that is kept. */
  readonly classes: readonly KubeObject[];
  readonly classRevisions: readonly KubeObject[];
  /** Plans that users made. */
  readonly userPlans: readonly KubeObject[];
  readonly states: readonly StoredState[];
  readonly engineStates: readonly EngineState[];
  readonly kubeconfigs: readonly StoredKubeconfig[];
  readonly credentials: readonly StoredCredentials[];
  /** Stored versions of anything that do not open, with the reason. */
  readonly unopened: readonly string[];
  /** Owners of anything that is stored encrypted. */
  readonly secretOwners: readonly string[];
  readonly runs: readonly RunRow[];
  readonly lockSightings: readonly LockSighting[];
  /** What was done in the cloud while somebody followed it, in its order. */
  readonly cloudChanges: readonly CloudChange[];
  /** Runs of that time, also those of owners that are gone. */
  readonly keptRuns: readonly RunRow[];
  /** Ids of cloud objects that the chaos itself changed or removed. */
  readonly meddled: readonly string[];
  /** By kind: all changes after `since`, but for those of `gaps`. */
  readonly changes: Readonly<Record<string, readonly Change[]>>;
  readonly since: Mark;
  /** By kind: what was forgotten before anybody looked. */
  readonly gaps: Readonly<Record<string, readonly Gap[]>>;
  /** Changes up to here are forgotten by the platform, by kind. */
  readonly floors: Mark;
  readonly acknowledged: readonly Acknowledged[];
  readonly watched: readonly WatchedKind[];
  readonly earlyEnds: readonly EarlyEnd[];
  /** What a new plan would change, by name of the Infrastructure. */
  readonly plans: Readonly<Record<string, string | undefined>>;
  /** Places where something secret was found, without the secret. */
  readonly leaks: readonly string[];
  /** How long it took from healing until everything was as asked; undefined when it never was. */
  readonly convergedAfterMs: number | undefined;
  /** What was not as asked when the time was over, in its own words. */
  readonly unsettled: readonly string[];
  readonly boundMs: number;
}
