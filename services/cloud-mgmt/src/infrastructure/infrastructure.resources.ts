import { apiVersionOf, INFRASTRUCTURE, type Infrastructure, type InfrastructureResources } from '@crate/api';
import type { SubresourceReader } from '@crate/resource-server';
import { stateResources, type StateResourceFact } from '@crate/terraform';
import type { StateKeeper } from '../terraform-run/state-keeper.js';

/** Hands out what the newest state knows of. Throws Conflict for a state that is damaged. */
export function resourcesReader(states: Pick<StateKeeper, 'open'>): SubresourceReader {
  return async (object) => {
    const infrastructure = object as Infrastructure;
    const stored = await states.open(infrastructure.metadata.uid, infrastructure.status?.stateSerial);
    return infrastructureResources(
      infrastructure,
      stored && { serial: stored.serial, facts: stateResources(stored.plain) },
    );
  };
}

interface KnownState {
  readonly serial: number;
  readonly facts: readonly StateResourceFact[];
}

/** The resources of a state with what the last comparison with the cloud found of them. Pure. */
export function infrastructureResources(
  { metadata, status }: Infrastructure,
  state: KnownState | undefined,
): InfrastructureResources {
  const { name, namespace } = metadata;
  const drift = status?.drift;
  const differing = new Map((drift?.resources ?? []).map(({ address, kind }) => [address, kind]));
  return {
    apiVersion: apiVersionOf(INFRASTRUCTURE),
    kind: 'InfrastructureResources',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    ...(state ? { serial: state.serial } : {}),
    ...(drift && drift.resources.length > 0 ? { comparedSince: drift.since } : {}),
    omitted: drift?.omitted ?? 0,
    resources: (state?.facts ?? []).map(({ id, isTainted, ...fact }) => ({
      ...fact,
      ...(id === undefined ? {} : { id }),
      health: isTainted ? 'tainted' : (differing.get(fact.address) ?? 'ok'),
    })),
  };
}
