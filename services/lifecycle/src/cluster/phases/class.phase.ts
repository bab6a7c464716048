import { settled, type Outcome } from '@crate/reconcile';
import type { ClassPreview } from '../../cluster-class/class-state.js';
import type { ClusterScope } from '../cluster.scope.js';

/** Looks what the newest revision of its class would change in the cluster. Changes nothing. */
export class ClassPhase {
  constructor(private readonly preview: ClassPreview) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    if (scope.cluster.spec.classRef) scope.classState = (await this.preview.stateOf(scope.cluster)) ?? 'ClassNotFound';
    return settled;
  };
}
