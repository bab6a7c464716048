import { isReady, nameOf, type KubeObject } from '../world/kube-object.js';
import type { Target, World } from '../world/world.js';
import type { Invariant } from './invariant.js';

const CLUSTER_TAG = 'crate.dev/cluster-uid';
const BASTION = '-bastion';
/** The add-on that chaos puts into clusters and takes out of them. */
const ADD_ON = 'docs';
/** As the kind's schema has it. */
const MACHINE_TYPE = 'm5.large';

interface Group {
  readonly replicas?: number;
  readonly machineType?: string;
}

interface ClusterSpec {
  readonly kubernetes?: { readonly version?: string };
  readonly controlPlane?: Group;
  readonly nodePools?: readonly Group[];
  readonly addOns?: readonly { readonly name: string }[];
}

/** 2: what says Ready is so where it matters: in the cluster itself, and in what its machines are. */
export const readyClustersAreSo: Invariant = (world) =>
  world.clusters
    .filter((cluster) => isReady(cluster) && cluster.metadata.deletionTimestamp === undefined)
    .flatMap((cluster) =>
      [...machinesOf(world, cluster), ...insideOf(world, cluster)].map((text) => ({
        invariant: 'no status contradicts the world',
        message: `${nameOf(cluster)} is Ready, but ${text}`,
      })),
    );

function machinesOf(world: World, cluster: KubeObject): readonly string[] {
  const { controlPlane = {}, nodePools = [] } = cluster.spec as ClusterSpec;
  const groups = [{ replicas: 3, ...controlPlane }, ...nodePools];
  const wanted = groups.flatMap(({ replicas = 1, machineType = MACHINE_TYPE }) =>
    Array.from({ length: replicas }, () => machineType),
  );
  const is = nodeMachines(world, cluster).map(({ attributes }) => String(attributes['instance_type']));
  return difference('its machines are', is, wanted);
}

function insideOf(world: World, cluster: KubeObject): readonly string[] {
  const { namespace, name } = cluster.metadata;
  const child = world.kubernetesClusters.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
  );
  const target = child && world.targets[child.metadata.uid];
  if (target === undefined) return ['nobody looked into it'];
  return typeof target === 'string' ? [target] : contradictions(world, cluster, target);
}

function contradictions(world: World, cluster: KubeObject, { nodes, addOns }: Target): readonly string[] {
  const { kubernetes, addOns: wanted = [] } = cluster.spec as ClusterSpec;
  const addresses = nodeMachines(world, cluster).map(({ attributes }) => String(attributes['private_ip']));
  const old = nodes.filter(({ version }) => version !== kubernetes?.version);
  const isWanted = wanted.some(({ name }) => name === ADD_ON);
  const isThere = addOns.includes(ADD_ON);
  return [
    ...difference(
      'its nodes are at',
      nodes.map(({ address }) => address),
      addresses,
    ),
    ...old.map(({ name, version }) => `its node ${name} is ${version} instead of ${kubernetes?.version}`),
    ...(isThere === isWanted ? [] : [`its add-on ${ADD_ON} is ${isThere ? 'still' : 'not'} there`]),
  ];
}

function nodeMachines({ cloud }: World, { metadata }: KubeObject): World['cloud'] {
  return cloud.filter(
    ({ type, tags }) =>
      type === 'aws_instance' && tags[CLUSTER_TAG] === metadata.uid && !tags['Name']?.endsWith(BASTION),
  );
}

function difference(what: string, is: readonly string[], wanted: readonly string[]): readonly string[] {
  const [now, then] = [is, wanted].map((list) => list.toSorted().join(', ') || 'none');
  return now === then ? [] : [`${what} ${now} instead of ${then}`];
}
