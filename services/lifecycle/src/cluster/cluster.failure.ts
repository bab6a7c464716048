import type { AddOnInstallation, Cluster, Failure } from '@crate/api';
import type { ClusterScope } from './cluster.scope.js';

/** Fields of a KubernetesCluster by what they come from in the Cluster, which is the person's document; undefined: nothing that is stated there. */
const FIELD_OF_KUBERNETES: Readonly<Record<string, string | undefined>> = {
  'spec.version': 'spec.kubernetes.version',
  'spec.engine': 'spec.kubernetes.engine',
  'spec.nodes': undefined,
  spec: undefined,
};

/** The failure of the first child that reports one, in the order of the journey, with the field of the Cluster that it comes from. */
export function childFailure({
  cluster,
  infrastructure,
  kubernetes,
  installations = [],
}: ClusterScope): Failure | undefined {
  // Those of an Infrastructure name fields of the Cluster.
  if (infrastructure?.status?.failure) return infrastructure.status.failure;
  const ofKubernetes = kubernetes?.status?.failure;
  if (ofKubernetes) return withField(ofKubernetes, kubernetesField(ofKubernetes.field));
  const failed = installations.find(({ status }) => status?.failure);
  return failed?.status?.failure && addOnFailure(failed, failed.status.failure, cluster);
}

function kubernetesField(field: string | undefined): string | undefined {
  return field !== undefined && field in FIELD_OF_KUBERNETES ? FIELD_OF_KUBERNETES[field] : field;
}

/** Of those that come by default the Cluster states nothing. */
function addOnFailure({ spec: { addOn } }: AddOnInstallation, failure: Failure, { spec }: Cluster): Failure {
  const asked = spec.addOns.findIndex(({ name }) => name === addOn);
  const named = { ...failure, message: `Add-on "${addOn}": ${failure.message}` };
  return withField(named, asked < 0 ? undefined : `spec.addOns[${asked}]`);
}

function withField({ field: _, ...failure }: Failure, field: string | undefined): Failure {
  return field === undefined ? failure : { ...failure, field };
}
