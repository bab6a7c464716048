import type { ComponentName, Manifest } from '@crate/api';
import { conflict } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';
import { Installer, type Installation, type WantedInstallation } from '../installer.js';
import { FIELD_MANAGER, setBy } from './field-owner.js';
import { installationOf } from './installation.js';
import {
  imageFor,
  recordFor,
  recordOf,
  UPGRADE_ANNOTATION,
  versionOf,
  type KnownImages,
  type UpgradeRecord,
} from './upgrade-record.js';
import { imageOf, partitionOf, indexOf, replicasOf, type Pod, type StatefulSet } from './workload.js';

const SETS = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const;

export interface KubernetesInstallerParts {
  /** The cluster that the platform runs in. */
  readonly cluster: () => Promise<Pick<TargetCluster, 'find' | 'get' | 'list' | 'applyObject'>>;
  readonly namespace: string;
  /** What the chart's names begin with: StatefulSets are called `<fullname>-<component>`. */
  readonly fullname: string;
  /** What the signed index says of a component's image, `sha256:…`; undefined: nothing, so that the tag has to do. */
  readonly digestOf: (component: ComponentName, version: string) => string | undefined;
  readonly now?: () => Date;
}

/** What a StatefulSet shall be told. */
interface Told {
  readonly image: string;
  readonly partition: number;
  readonly record: UpgradeRecord | undefined;
}

/**
 * Sets the images of the chart's StatefulSets, whose controller replaces the pods. The canary is the pod with the highest number, by
 * `partition`. Each change is one request, which the API server takes whole or not at all.
 */
export class KubernetesInstaller extends Installer {
  constructor(private readonly parts: KubernetesInstallerParts) {
    super();
  }

  override async observe(component: ComponentName): Promise<Installation | undefined> {
    const { now = () => new Date() } = this.parts;
    const cluster = await this.parts.cluster();
    const set = (await cluster.find(this.ref(component))) as StatefulSet | undefined;
    return set && installationOf({ component, set, pods: await this.podsOf(set), now: now() });
  }

  override async ensure(component: ComponentName, wanted: WantedInstallation): Promise<void> {
    const cluster = await this.parts.cluster();
    const set = (await cluster.get(this.ref(component))) as StatefulSet;
    refuseForeign(set, component, wanted);
    const pods = wanted.next?.stage === 'Held' ? await this.podsOf(set) : [];
    const digestOf = (version: string): string | undefined => this.parts.digestOf(component, version);
    const told = toldBy(wanted, { set, component, digestOf }, pods);
    if (isSaid(told, set, component)) return;
    // Image and partition are the chart's and its client's otherwise; the resourceVersion sees to it that nobody's change is lost.
    await cluster.applyObject(manifestOf(told, set, component), { fieldManager: FIELD_MANAGER, force: true });
  }

  private async podsOf(set: StatefulSet): Promise<readonly Pod[]> {
    const cluster = await this.parts.cluster();
    const { items } = await cluster.list('v1', 'Pod', {
      namespace: this.parts.namespace,
      labelSelector: selectorOf(set),
    });
    const isOwn = ({ metadata }: Pod): boolean =>
      metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid) ?? false;
    return (items as readonly Pod[]).filter(isOwn);
  }

  private ref(component: ComponentName): typeof SETS & { readonly namespace: string; readonly name: string } {
    const { namespace, fullname } = this.parts;
    return { ...SETS, namespace, name: `${fullname}-${component}` };
  }
}

function toldBy(wanted: WantedInstallation, known: KnownImages, pods: readonly Pod[]): Told {
  const { version, next } = wanted;
  const image = imageFor(next?.version ?? version, known);
  const partitions = {
    Canary: () => canaryPartition(next?.version ?? version, known.set),
    Held: () => heldPartition(image, known, pods),
    All: () => 0,
  };
  return { image, partition: partitions[next?.stage ?? 'All'](), record: recordFor(wanted, known) };
}

/**
 * Behind the last pod that lacks the image: while all were meant, any pod that was made anew got it, and those below a partition stay as they
 * are. Where it is held already that stays so: a pod that is made anew meanwhile is the same again.
 */
function heldPartition(image: string, { set, component }: KnownImages, pods: readonly Pod[]): number {
  if (partitionOf(set) > 0) return partitionOf(set);
  const having = pods.filter(({ spec }) => imageOf(spec.containers, component) === image);
  const indexes = new Set(having.map(({ metadata }) => indexOf(metadata.name, set)));
  const last = Math.max(0, replicasOf(set) - 1);
  let partition = last;
  while (indexes.has(partition)) partition -= 1;
  return Math.min(partition + 1, last);
}

/** The last pod. One that was chosen stays the canary when pods come behind it. */
function canaryPartition(version: string, set: StatefulSet): number {
  const record = recordOf(set);
  const isChosen = record?.stage === 'Canary' && record.to.version === version;
  const last = Math.max(0, replicasOf(set) - 1);
  return isChosen ? Math.min(partitionOf(set), last) : last;
}

/** Throws Conflict where the set has an image that neither this wish nor the upgrade under way knows. */
function refuseForeign(set: StatefulSet, component: string, { version, next }: WantedInstallation): void {
  const record = recordOf(set);
  const current = versionOf(imageOf(set.spec.template.spec.containers, component), set);
  if ([version, next?.version, record?.from.version, record?.to.version].includes(current)) return;
  const who = setBy(set, component) ?? 'somebody';
  throw conflict(`${set.metadata.name} was set to ${current} by ${who}`, { reason: 'ChangedFromOutside' });
}

function isSaid({ image, partition, record }: Told, set: StatefulSet, component: string): boolean {
  const isSame = JSON.stringify(recordOf(set)) === JSON.stringify(record);
  return isSame && partition === partitionOf(set) && image === imageOf(set.spec.template.spec.containers, component);
}

function manifestOf({ image, partition, record }: Told, { metadata }: StatefulSet, component: string): Manifest {
  const { name, namespace = '', resourceVersion } = metadata;
  const annotations = record && { [UPGRADE_ANNOTATION]: JSON.stringify(record) };
  return {
    ...SETS,
    metadata: { name, namespace, resourceVersion, ...(annotations ? { annotations } : {}) },
    spec: {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
      template: { spec: { containers: [{ name: component, image }] } },
    },
  };
}

function selectorOf({ spec }: StatefulSet): string {
  const labels = Object.entries(spec.selector.matchLabels ?? {});
  return labels.map(([key, value]) => `${key}=${value}`).join(',');
}
