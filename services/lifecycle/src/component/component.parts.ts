import { COMPONENT, type ComponentName, type PlatformService } from '@crate/api';
import type { ServedKind } from '@crate/resource-server';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { ReleaseWatch } from '../release/release-watch.js';
import { componentAdmission } from './component.admission.js';
import type { ComponentsConfig } from './component.config.js';
import { ComponentReconciler } from './component.reconciler.js';
import { installerOf } from './installer-choice.js';
import { upgradePlanReader } from './upgrade-plan.reader.js';
import type { PlanUpgrade } from './upgrade-plan.route.js';
import { PostgresUpgradeLock } from './upgrade-lock.js';

/** Everything that components are made of. */
export interface ComponentParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  /** Makes the components of this platform. Idempotent; what people have set stays. */
  readonly publish: () => Promise<void>;
  /** What an upgrade would lead to. */
  readonly plan: PlanUpgrade;
}

/** Manager of what the platform states of its components, which is that they are there. */
const MANAGER = 'crate-components';

/** Wires components into the service. */
export function componentParts(
  { clients, database, events, service }: Pick<Foundation, 'clients' | 'database' | 'events' | 'service'>,
  config: ComponentsConfig,
  known: {
    readonly releases: Pick<ReleaseWatch, 'current'>;
    readonly services: () => Promise<readonly PlatformService[]>;
    /** Services that this platform has. */
    readonly names: readonly ComponentName[];
  },
): ComponentParts {
  const components = clients.for(COMPONENT);
  const index = known.releases.current.bind(known.releases);
  const installer = installerOf(config, index);
  const lock = new PostgresUpgradeLock(database);
  const publish = async (name: string): Promise<void> => {
    if (known.names.some((each) => each === name)) await components.ensure({ metadata: { name }, spec: {} }, MANAGER);
  };
  const reconciler = new ComponentReconciler({
    ...{ components, installer, lock, index, publish },
    services: known.services,
    events: events.recorder,
  });
  return {
    kind: { definition: COMPONENT, admit: [componentAdmission({ service, components, installer, index })] },
    reconciler: { reconciler, kind: COMPONENT },
    plan: upgradePlanReader({ components, installer, index, services: known.services }),
    publish: async () => {
      for (const name of known.names) await publish(name);
    },
  };
}
