import type { EngineStateVersion, StateVersion } from '@crate/api';
import { KINDS, type ApiKind } from '../../../api/paths.js';

/** A version of either state. */
export type AnyVersion = StateVersion | EngineStateVersion;

/** Which state is meant: that of the cloud resources, or that of the engine, which holds the authority of the cluster. */
export interface StateFamily {
  readonly name: 'terraform' | 'engine';
  readonly kind: ApiKind;
  /** Field that versions are selected by. */
  readonly ownerField: string;
}

export const TERRAFORM: StateFamily = {
  name: 'terraform',
  kind: { ...KINDS.infrastructure, kind: 'StateVersion', plural: 'stateversions' },
  ownerField: 'spec.infrastructureRef.name',
};

export const ENGINE: StateFamily = {
  name: 'engine',
  kind: { ...KINDS.kubernetesCluster, kind: 'EngineStateVersion', plural: 'enginestateversions' },
  ownerField: 'spec.clusterRef.name',
};
