import { INFRASTRUCTURE, STATE_VERSION, type Infrastructure } from '@crate/api';
import type { ResourceApi } from '@crate/resource-client';
import { factsAs, type VersionedStates } from '@crate/service-host';
import type { StateHistory } from './state-history.js';

/** Terraform states of Infrastructures, as versions are served. */
export function versionedTerraformStates(
  owners: ResourceApi,
  history: Pick<StateHistory, 'list' | 'diff' | 'restore'>,
): VersionedStates<Infrastructure> {
  return {
    definition: STATE_VERSION,
    owner: INFRASTRUCTURE,
    owners,
    ownerField: 'infrastructureRef',
    list: ({ metadata }) => history.list(metadata.uid),
    describe: (facts) => factsAs(facts, { lineage: 'lineage', terraformSerial: 'serial', resources: 'resources' }),
    diff: ({ metadata }, from, to) => history.diff(metadata.uid, from, to),
    restore: ({ metadata, status }, serial, edit) =>
      history.restore({ uid: metadata.uid, knownSerial: status?.stateSerial ?? 0 }, serial, edit),
  };
}
