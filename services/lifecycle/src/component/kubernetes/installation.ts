import type { Installation, InstalledSlot } from '../installer.js';
import { setBy } from './field-owner.js';
import { recordOf, versionOf } from './upgrade-record.js';
import { imageOf, partitionOf, replicasOf, type ContainerStatus, type Pod, type StatefulSet } from './workload.js';

/** After so long without an end a container counts as well again, as for the kubelet, which then restarts it at once. */
const FORGOTTEN_AFTER_MS = 600_000;

/** Reasons of a container that is on its way and has nothing to complain of. */
const STARTING = ['ContainerCreating', 'PodInitializing'];

export interface Seen {
  readonly component: string;
  readonly set: StatefulSet;
  /** Of this set. */
  readonly pods: readonly Pod[];
  readonly now: Date;
}

/** What a StatefulSet and its pods say of what is installed. Pure. */
export function installationOf(seen: Seen): Installation {
  const { component, set } = seen;
  const image = imageOf(set.spec.template.spec.containers, component);
  const record = recordOf(set);
  // An upgrade that somebody has overridden is none any more.
  const version = record?.to.image === image ? record.from.version : versionOf(image, set);
  const start = set.spec.ordinals?.start ?? 0;
  const slots = Array.from({ length: replicasOf(set) }, (_, index) => slotOf(seen, { start, index }));
  const owner = setBy(set, component);
  const isUnderWay = record !== undefined;
  const kind = { present: 'Fetched', isCanaryOneOfThem: true } as const;
  return { version, slots, ...kind, isUnderWay, ...(owner === undefined ? {} : { setBy: owner }) };
}

/** A pod that is being replaced is a slot too, which is not ready. */
function slotOf(
  { component, set, pods, now }: Seen,
  { start, index }: { readonly start: number; readonly index: number },
): InstalledSlot {
  const name = `${set.metadata.name}-${start + index}`;
  const pod = pods.find(({ metadata }) => metadata.name === name);
  const isCanary = recordOf(set)?.stage === 'Canary' && index >= partitionOf(set);
  if (!pod) return { name, version: '', isReady: false, restarts: 0, isCanary };
  const version = versionOf(imageOf(pod.spec.containers, component), set);
  const container = pod.status?.containerStatuses?.find((each) => each.name === component);
  const words = lastWordsOf(container);
  const state = { isReady: isReady(pod), restarts: restartsOf(container, now) };
  return { name, version, ...state, isCanary, ...(words === undefined ? {} : { lastWords: words }) };
}

function isReady({ metadata, status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && metadata.deletionTimestamp === undefined;
}

/** What ended long ago, and goes on since, says nothing of the version. */
function restartsOf(container: ContainerStatus | undefined, now: Date): number {
  const { finishedAt } = container?.lastState?.terminated ?? {};
  if (!container || finishedAt === undefined) return 0;
  return now.getTime() - Date.parse(finishedAt) < FORGOTTEN_AFTER_MS ? container.restartCount : 0;
}

/** Why it does not start, such as an image that cannot be pulled, or how it ended last. */
function lastWordsOf(container: ContainerStatus | undefined): string | undefined {
  const { waiting } = container?.state ?? {};
  const { terminated } = container?.lastState ?? {};
  const isStuck = waiting?.reason !== undefined && !STARTING.includes(waiting.reason);
  const ended = terminated && joined([terminated.reason, `exit code ${terminated.exitCode}`, terminated.message]);
  if (!isStuck) return ended;
  return joined([waiting.reason, waiting.message, ended]);
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}
