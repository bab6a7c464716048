import { isDeepStrictEqual } from 'node:util';
import { isKnown, isRead } from '../world/gap.js';
import { explanationOf, isReady, nameOf, type KubeObject } from '../world/kube-object.js';
import type { Acknowledged } from '../users/ledger.js';
import type { World } from '../world/world.js';
import type { Invariant, Violation } from './invariant.js';

const CLUSTER_TAG = 'crate.dev/cluster-uid';
const READABLE = 'acknowledged writes are readable';
const STATUS = 'no status contradicts the world';
const BASTIONS = 1;

interface ClusterSpec {
  readonly controlPlane?: { readonly replicas?: number };
  readonly nodePools?: readonly { readonly replicas?: number }[];
}

/** 2: what was answered with success is in the log, as it was answered; what was deleted is gone. */
export const writesAreReadable: Invariant = (world) =>
  world.acknowledged
    .filter(({ what }) => what === 'stored' || what === 'deleted')
    .flatMap((entry) => (entry.what === 'deleted' ? deletionOf(world, entry) : writeOf(world, entry)) ?? [])
    .map((message) => ({ invariant: READABLE, message }));

function deletionOf(world: World, { kind, name, uid }: Acknowledged): string | undefined {
  const live = world.clusters.find(({ metadata }) => metadata.uid === uid);
  if (!live || live.metadata.deletionTimestamp !== undefined) return undefined;
  return `${kind} ${name} (${uid}) was deleted and is there`;
}

function writeOf(world: World, entry: Acknowledged): string | undefined {
  const { kind, name, uid, revision, spec, annotations = {} } = entry;
  if (!isKnown(world, kind, revision)) return undefined;
  const changes = world.changes[kind] ?? [];
  const stored = changes.find((change) => change.revision === revision);
  const what = `${kind} ${name} (${uid})`;
  if (stored?.uid !== uid) return `${what} at revision ${revision} is not in the log`;
  if (!isDeepStrictEqual(stored.object.spec, spec)) {
    return `${what} at revision ${revision} has another spec than was answered`;
  }
  const left = Object.entries(annotations).find(([key, value]) => stored.object.metadata.annotations?.[key] !== value);
  if (left) return `${what} at revision ${revision} is without ${left[0]}`;
  const isLive = [...world.clusters, ...world.classes, ...world.accounts].some(({ metadata }) => metadata.uid === uid);
  const isGone = changes.some((change) => change.uid === uid && change.type === 'DELETED');
  const isWhole = isRead(world, kind, { after: revision, upTo: Infinity });
  return isLive || isGone || !isWhole ? undefined : `${what} vanished without being deleted`;
}

/** 2: what says Ready is what it says. */
export const statusesAreTrue: Invariant = (world) =>
  world.clusters.filter(isReady).flatMap((cluster): Violation[] => {
    const spec = (cluster.spec ?? {}) as ClusterSpec;
    const wanted =
      (spec.controlPlane?.replicas ?? 3) + (spec.nodePools ?? []).reduce((sum, { replicas = 1 }) => sum + replicas, 0);
    const machines = machinesOf(world, cluster);
    const nodes = cluster.status?.['nodes'] as { readonly ready?: number } | undefined;
    const broken: string[] = [];
    if (machines !== wanted + BASTIONS) broken.push(`${machines} machines instead of ${wanted + BASTIONS}`);
    if (nodes?.ready !== wanted) broken.push(`status.nodes.ready is ${nodes?.ready} instead of ${wanted}`);
    const children = [...world.infrastructures, ...world.kubernetesClusters].filter((child) =>
      isChildOf(child, cluster),
    );
    for (const child of children.filter((one) => !isReady(one))) broken.push(`${nameOf(child)} is not Ready`);
    return broken.map((text) => ({ invariant: STATUS, message: `${nameOf(cluster)} is Ready, but ${text}` }));
  });

/** 2: who plans again finds nothing to do. */
export const plansAreEmpty: Invariant = ({ plans }) =>
  Object.entries(plans).flatMap(([name, text]) =>
    text === undefined ? [] : [{ invariant: 'next plan is empty', message: `Infrastructure ${name}: ${text}` }],
  );

function machinesOf(world: World, { metadata }: KubeObject): number {
  return world.cloud.filter(({ type, tags }) => type === 'aws_instance' && tags[CLUSTER_TAG] === metadata.uid).length;
}

function isChildOf(child: KubeObject, { metadata }: KubeObject): boolean {
  return child.metadata.namespace === metadata.namespace && child.metadata.name === metadata.name;
}

/** 5: whatever is not as asked says why. */
export const waitingIsExplained: Invariant = (world) => {
  const all = [...world.clusters, ...world.infrastructures, ...world.kubernetesClusters, ...world.addOnInstallations];
  return all
    .filter((object) => object.metadata.deletionTimestamp !== undefined || !isReady(object))
    .filter((object) => !explains(object))
    .map((object) => ({
      invariant: 'nothing waits without saying for what',
      message: `${nameOf(object)}: ${JSON.stringify(object.status)}`,
    }));
};

/** That there is work says not what is waited for, and neither do these reasons. */
const OF_WORK = /^(Work is under way\b|Being (deleted|removed)$)/;
const NAMING_NOTHING = ['Provisioning', 'Overtaken', 'DeletionRequested'];

function explains(object: KubeObject): boolean {
  const { reason = '', message = '' } = explanationOf(object) ?? {};
  if (reason === '' || message === '') return false;
  return !OF_WORK.test(message) || !NAMING_NOTHING.includes(reason);
}
