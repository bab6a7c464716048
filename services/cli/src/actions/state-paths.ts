import {
  apiVersionOf,
  ENGINE_STATE_VERSION,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  STATE_VERSION,
  type KindDefinition,
} from '@crate/api';

/** Which state of a cluster is meant. */
export interface StateChoice {
  readonly namespace: string;
  /** That of the cluster's engine instead of that of Terraform. */
  readonly engine?: boolean;
}

/** Path of all versions in the Project. */
export function versionsPath(choice: StateChoice): string {
  return pathOf(choice, choice.engine ? ENGINE_STATE_VERSION : STATE_VERSION);
}

/** Path of one version. */
export function versionPath(choice: StateChoice, name: string, serial: number): string {
  return `${versionsPath(choice)}/${encodeURIComponent(`${name}.${serial}`)}`;
}

/** Path of the object that the state is of; it has the name of the cluster. */
export function ownerPath(choice: StateChoice, name: string): string {
  return `${pathOf(choice, choice.engine ? KUBERNETES_CLUSTER : INFRASTRUCTURE)}/${encodeURIComponent(name)}`;
}

/** Selects the versions of one cluster. */
export function selectorOf({ engine }: StateChoice, name: string): string {
  return `${engine ? 'spec.clusterRef.name' : 'spec.infrastructureRef.name'}=${name}`;
}

function pathOf({ namespace }: StateChoice, kind: KindDefinition): string {
  return `/apis/${apiVersionOf(kind)}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}
