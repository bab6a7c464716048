import type { InventoryEntry, KubeObject, Manifest } from '@crate/api';

/** Namespaces every cluster is born with; taking one away would take the cluster's own workloads along. */
const CLUSTER_OWNED_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Objects that others live in or are instances of go first; everything else keeps the order it was written in. */
const FIRST_KINDS = ['Namespace', 'CustomResourceDefinition'];

/** The order to apply manifests in: namespaces, then CRDs, then the rest as written; of an object that is stated twice, the last alone. */
export function applyOrder(manifests: readonly Manifest[]): readonly Manifest[] {
  const last = new Map(manifests.map((manifest) => [inventoryKey(refOf(manifest)), manifest]));
  return [...last.values()].toSorted((left, right) => rank(left) - rank(right));
}

/** Indexes of manifests whose object is stated before, each with the index of the first that states it. */
export function statedAgain(manifests: readonly Manifest[]): ReadonlyMap<number, number> {
  const keys = manifests.map((manifest) => inventoryKey(refOf(manifest)));
  const firsts = new Map(keys.map((key, index) => [key, index] as const).toReversed());
  const again = keys.map((key, index) => [index, firsts.get(key) ?? index] as const);
  return new Map(again.filter(([index, first]) => first !== index));
}

/** What applying these manifests leaves in a cluster, in apply order; each object once. */
export function inventoryOf(manifests: readonly Manifest[]): readonly InventoryEntry[] {
  return applyOrder(manifests).map(refOf);
}

/** Everything in either list: what may exist while a change from one to the other is under way. */
export function mergeInventories(
  previous: readonly InventoryEntry[],
  next: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  return [...pruneSet(previous, next), ...next];
}

/** What the previous inventory holds and the next does not, in the previous order. */
export function pruneSet(
  previous: readonly InventoryEntry[],
  next: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  const kept = new Set(next.map(inventoryKey));
  return previous.filter((entry) => !kept.has(inventoryKey(entry)));
}

/** Those that `stated` names, and those that it needs: namespaces that its objects live in, and CRDs that they are instances of. */
export function neededBy(
  stated: readonly InventoryEntry[],
  inventory: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  const keys = new Set(stated.map(inventoryKey));
  const namespaces = new Set(stated.map(({ namespace }) => namespace));
  const groups = new Set(stated.map(groupOf));
  return inventory.filter((entry) => {
    if (entry.kind === 'Namespace' && namespaces.has(entry.name)) return true;
    // Named `plural.group`.
    const isOfCrd =
      entry.kind === 'CustomResourceDefinition' && groups.has(entry.name.slice(entry.name.indexOf('.') + 1));
    return isOfCrd || keys.has(inventoryKey(entry));
  });
}

/** The order to take objects away in: the reverse of the one they were applied in, without the cluster's own namespaces. */
export function removalOrder(inventory: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return inventory
    .filter((entry) => !(entry.kind === 'Namespace' && CLUSTER_OWNED_NAMESPACES.includes(entry.name)))
    .toReversed();
}

/** What an object is found by. */
export function refOf({ apiVersion, kind, metadata: { name, namespace } }: Manifest | KubeObject): InventoryEntry {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Names an object for a person, such as `Deployment crate-addons/docs`. */
export function describeEntry(entry: InventoryEntry): string {
  return `${entry.kind} ${entry.namespace === undefined ? '' : `${entry.namespace}/`}${entry.name}`;
}

/** Identity of an object across API versions: a Deployment moved from one version to the next stays itself. */
function inventoryKey(entry: InventoryEntry): string {
  return JSON.stringify([groupOf(entry), entry.kind, entry.namespace ?? '', entry.name]);
}

function groupOf({ apiVersion }: InventoryEntry): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function rank(manifest: Manifest): number {
  const index = FIRST_KINDS.indexOf(manifest.kind);
  return index < 0 ? FIRST_KINDS.length : index;
}
