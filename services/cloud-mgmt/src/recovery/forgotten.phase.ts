import { invariant } from '@crate/errors';
import type { DeletionRecord, Infrastructure } from '@crate/api';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { settled, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { RecoveryHold } from '@crate/service-host';
import type { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';

export interface ForgottenPhaseParts {
  readonly installationId: string;
  readonly clouds: InfrastructureClouds;
  readonly recovery: Pick<RecoveryHold, 'isClosed' | 'check'>;
  readonly infrastructures: TypedClient<Infrastructure>;
  readonly records: TypedClient<DeletionRecord>;
}

/**
 * While the database is older than the world, makes no cluster beside one of its name that was forgotten: whoever applies all documents
 * again after a restore means the cluster that is there.
 */
export class ForgottenPhase {
  constructor(private readonly parts: ForgottenPhaseParts) {}

  /** Throws Forbidden (`Recovering`). Looks only before anything was ever made for the Infrastructure. */
  readonly run = async (scope: InfrastructureScope, { remoteSignal }: ReconcileContext): Promise<Outcome> => {
    const { account, infrastructure, stateSerial } = scope;
    if (!account) throw invariant('The account phase has not run');
    if (stateSerial !== undefined || !(await this.parts.recovery.isClosed())) return settled;
    const namesakes = await this.parts.clouds.of(infrastructure, account).listNamesakes(remoteSignal);
    const forgotten = await this.forgotten(infrastructure, namesakes);
    if (forgotten.length === 0) return settled;
    const { clusterName } = infrastructure.spec;
    const takeBack = `crate recovery take-back ${clusterName} -n ${infrastructure.metadata.namespace} --from URL`;
    await this.parts.recovery.check(
      `${forgotten.length} resources of an earlier cluster ${clusterName} are there that the record does not know`,
      `Delete this cluster and bring that one back with "${takeBack}"; after "crate recovery confirm" another is made beside it`,
    );
    return settled;
  };

  private async forgotten(
    { metadata }: Infrastructure,
    namesakes: readonly OwnedResource[],
  ): Promise<readonly OwnedResource[]> {
    const ours = namesakes.filter(
      ({ tags }) =>
        tags[OWNER_TAGS.project] === metadata.namespace && tags[OWNER_TAGS.installation] === this.parts.installationId,
    );
    if (ours.length === 0) return [];
    const live = (await this.parts.infrastructures.list()).map(({ metadata: { uid } }) => uid);
    const gone = (await this.parts.records.list()).map(({ spec }) => spec.infrastructure.uid);
    const known = new Set([...live, ...gone]);
    return ours.filter(({ tags }) => !known.has(tags[OWNER_TAGS.infrastructureUid] ?? ''));
  }
}
