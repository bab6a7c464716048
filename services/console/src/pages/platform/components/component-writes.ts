import type { Component, UpgradePlan } from '@crate/api';
import { apiFetch, apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';

const MERGE_PATCH = 'application/merge-patch+json';
/** Where the API tells it; the constant of @crate/api would bring its schemas along. */
const PLAN = '/platform/upgrade';

/** What a version would lead to. Changes nothing. Throws ApiError. */
export function planUpgrade(to: string, signal?: AbortSignal): Promise<UpgradePlan> {
  return apiJson<UpgradePlan>(`${PLAN}?${new URLSearchParams({ to }).toString()}`, { signal });
}

/** Asks every service for the version of the plan, in its order; what was set stays when a later one is refused. Throws ApiError. */
export async function upgradeAll({ steps, to }: UpgradePlan, components: readonly Component[]): Promise<void> {
  for (const { component, action, hasFailed } of steps) {
    const wanted = components.find(({ metadata }) => metadata.name === component)?.spec.version;
    // What has failed is tried again only when the spec has changed.
    if (hasFailed) await setVersion(component, null);
    if (hasFailed || (wanted !== to && !(action === 'Stay' && wanted === undefined))) await setVersion(component, to);
  }
}

/** Has a service have this version; `null`: whatever it has. Throws ApiError. */
export async function setVersion(name: string, version: string | null): Promise<void> {
  const body = { spec: { version } };
  await apiFetch(objectPath(KINDS.component, name), { method: 'PATCH', contentType: MERGE_PATCH, body });
}
