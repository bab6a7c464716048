import { INFRASTRUCTURE, STATE_VERSION, type Infrastructure } from '@crate/api';
import { UNCHANGED } from '@crate/messaging';
import type { ServedKind, SubresourceHandler } from '@crate/resource-server';
import { observeDamagedStates, StateVersionApi, type Foundation } from '@crate/service-host';
import { INFRASTRUCTURE_RECONCILER } from '../infrastructure/infrastructure.reconciler.js';
import type { SharedParts } from '../shared-parts.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { observeOrphanedLocks } from './lock-metrics.js';
import { STATE_DAMAGES } from './state-damage.js';
import { StateHistory } from './state-history.js';
import { stateChanged, stateRestored } from './state.events.js';
import { stateSubresources } from './state.subresources.js';
import { versionedTerraformStates } from './versioned-terraform-states.js';

export interface StateServing {
  readonly kind: ServedKind;
  /** Of Infrastructures. */
  readonly subresources: Readonly<Record<string, SubresourceHandler>>;
}

/** The versions of Terraform states as a kind, and the states themselves for emergencies. */
export function serveStates(
  {
    api,
    clients,
    secrets,
    queue,
    hints,
    events,
    metrics,
    service,
  }: Pick<Foundation, 'api' | 'clients' | 'secrets' | 'queue' | 'hints' | 'events' | 'metrics' | 'service'>,
  { runs, locks, view }: Pick<SharedParts, 'runs' | 'locks' | 'view'>,
): StateServing {
  observeDamagedStates(metrics, clients.for(INFRASTRUCTURE), STATE_DAMAGES);
  observeOrphanedLocks(metrics, locks);
  const history = new StateHistory({ secrets, runs, locks, view });
  const lookAgain = async ({ metadata: { name, namespace = '' } }: Infrastructure): Promise<void> => {
    await queue.enqueue(INFRASTRUCTURE_RECONCILER, [{ namespace, name }]);
    // Nothing of the object itself changed, so nobody else tells the loops that there is work.
    const { group, kind } = INFRASTRUCTURE;
    hints.publish([{ service, group, kind, namespace, name, revision: UNCHANGED }]);
  };
  return {
    kind: {
      definition: STATE_VERSION,
      api: new StateVersionApi(versionedTerraformStates(api, history), async (infrastructure, restored) => {
        events.recorder.record(infrastructure, stateRestored(restored));
        await lookAgain(infrastructure);
      }),
    },
    subresources: stateSubresources({
      states: new StateKeeper(secrets),
      history,
      locks,
      view,
      onChange: async (infrastructure, change) => {
        events.recorder.record(infrastructure, stateChanged(change));
        await lookAgain(infrastructure);
      },
    }),
  };
}
