import { CLUSTER_UID_LABEL, type AddOnInstallation, type KubeObject } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

/** What tells a cluster, and whether one of the same name was made for the same Cluster. */
export interface ClusterIdentity {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * All add-ons that are in a cluster or on their way there. What lifecycle made is found by its label, which is on both from their first
 * moment, without a look at all others of the Project. What people made has none, and neither have the add-ons of a cluster without one: they are found by
 * the name that they refer to.
 */
export async function addOnsOfCluster(
  installations: TypedClient<AddOnInstallation>,
  { name, namespace, labels }: ClusterIdentity,
): Promise<readonly AddOnInstallation[]> {
  const uid = labels?.[CLUSTER_UID_LABEL];
  // In this order, so that one that loses its label in between is found.
  const selectors = uid === undefined ? [undefined] : [`${CLUSTER_UID_LABEL}=${uid}`, `!${CLUSTER_UID_LABEL}`];
  const found = new Map<string, AddOnInstallation>();
  for (const labelSelector of selectors) {
    const page = await installations.list({
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    });
    for (const installation of page) found.set(installation.metadata.uid, installation);
  }
  return [...found.values()].filter(({ spec }) => spec.clusterRef.name === name);
}

/** Whether they were made for two Clusters, of which one was deleted before the other was made. */
export function areOfTwoClusters(left: KubeObject, right: KubeObject | undefined): boolean {
  const [one, other] = [left, right].map((object) => object?.metadata.labels?.[CLUSTER_UID_LABEL]);
  return one !== undefined && other !== undefined && one !== other;
}
