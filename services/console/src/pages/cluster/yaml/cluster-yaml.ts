import type { Cluster } from '@crate/api';
import { isScalar, stringify, type Pair } from 'yaml';
import { documentOf } from '../../../components/yaml-editor/document-of.js';

/** kubectl keeps in it what it applied last: nothing for people to read, and not to be lost by a write. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * What people edit of a cluster: all but what the server keeps for itself. Always in the same order, which a stored
 * object and one that was only tried do not have: a difference is one of content. Pure.
 */
export function yamlOf({ apiVersion, kind, metadata, spec }: Cluster): string {
  const { name, namespace, labels } = metadata;
  const { [LAST_APPLIED]: _kept, ...annotations } = metadata.annotations ?? {};
  const document = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(labels ? { labels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    spec,
  };
  return textOf(document);
}

function textOf(document: object): string {
  return stringify(document, { compat: 'yaml-1.1', sortMapEntries: byName });
}

/** Whether a text says what the cluster does by now, however it is written; false while it is no YAML. Pure. */
export function isSaying(text: string, cluster: Cluster): boolean {
  try {
    return textOf(documentOf(text)) === yamlOf(cluster);
  } catch {
    return false;
  }
}

/** Whether it is the same cluster, and says the same to those who edit it. Pure. */
export function isSameDocument(one: Cluster, other: Cluster): boolean {
  if (one === other) return true;
  return one.metadata.uid === other.metadata.uid && yamlOf(one) === yamlOf(other);
}

/** The later of two versions of a cluster: the platform counts them up, in the order in which they were written. Pure. */
export function newerOf(one: Cluster, other: Cluster): Cluster {
  return Number(other.metadata.resourceVersion) > Number(one.metadata.resourceVersion) ? other : one;
}

/** Names first, as people write them; the rest by the alphabet. */
function byName({ key: left }: Pair, { key: right }: Pair): number {
  const [one, other] = [keyText(left), keyText(right)];
  if (one === 'name' || other === 'name') return one === 'name' ? -1 : 1;
  return one < other ? -1 : 1;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** Whether a text changes metadata, too; false while it is no YAML. Pure. */
export function changesMetadata(text: string, cluster: Cluster): boolean {
  try {
    return metadataOf(text) !== metadataOf(yamlOf(cluster));
  } catch {
    return false;
  }
}

function metadataOf(text: string): string {
  return stringify(documentOf(text)['metadata'], { sortMapEntries: byName });
}

/**
 * The same for a write that is refused when the cluster is no longer at this version. What others hold it by, and the
 * text does not show, stays. Throws Error. Pure.
 */
export function replacementOf(text: string, { metadata }: Cluster): Readonly<Record<string, unknown>> {
  const document = documentOf(text);
  const { resourceVersion, uid, finalizers, ownerReferences } = metadata;
  const { [LAST_APPLIED]: kept } = metadata.annotations ?? {};
  const stated = (document['metadata'] ?? {}) as { readonly annotations?: object };
  const annotations = { ...stated.annotations, ...(kept === undefined ? {} : { [LAST_APPLIED]: kept }) };
  return { ...document, metadata: { finalizers, ownerReferences, ...stated, annotations, resourceVersion, uid } };
}
