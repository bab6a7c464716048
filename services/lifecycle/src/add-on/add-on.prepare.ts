import type { AddOn, Cluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { jsonEqual, type AdmissionHook } from '@crate/resource-server';
import { earlierAfter } from './add-on.versions.js';

/** Keeps what an add-on was before it got another version, for clusters that stay on it; nobody takes these versions away. */
export function addOnPrepare(clusters: Pick<TypedClient<Cluster>, 'list'>): AdmissionHook {
  return async ({ object, oldObject }) => {
    if (!oldObject) return undefined;
    const [now, before] = [object as AddOn, oldObject as AddOn];
    if (jsonEqual(now.spec, before.spec)) return undefined;
    const isMoved = now.spec.version !== before.spec.version;
    const inUse = isMoved ? await versionsInUse(now.metadata.name, clusters) : versionsKept(before);
    const earlier = [...earlierAfter(now.spec, before.spec, inUse)];
    const { earlier: _stated, ...spec } = now.spec;
    return { object: { ...now, spec: earlier.length > 0 ? { ...spec, earlier } : spec } };
  };
}

async function versionsInUse(name: string, clusters: Pick<TypedClient<Cluster>, 'list'>): Promise<ReadonlySet<string>> {
  const all = await clusters.list();
  const stated = all.flatMap(({ spec }) => spec.addOns.filter((addOn) => addOn.name === name));
  return new Set(stated.flatMap(({ version }) => version ?? []));
}

function versionsKept({ spec }: AddOn): ReadonlySet<string> {
  return new Set((spec.earlier ?? []).map(({ version }) => version));
}
