import { formatApiVersion } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { groupKinds } from './kind-order.js';
import { REVIEW_GROUPS } from './review-kinds.js';
import { discovered, type DiscoveredResource, type DiscoveredSubresource } from './verbs.js';

interface DiscoveredGroup {
  readonly group: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[];
}

/** What a server offers, in the two forms Kubernetes clients ask for. */
export class Discovery {
  private readonly groups: readonly DiscoveredGroup[];

  constructor(kinds: readonly KindInfo[]) {
    const served = groupKinds(kinds).map(({ group, versions }) => ({
      group,
      versions: versions.map(({ version, kinds: own }) => ({ version, resources: own.map(discovered) })),
    }));
    const reviews = REVIEW_GROUPS.map(({ group, version, resources }) => ({
      group,
      versions: [{ version, resources }],
    }));
    this.groups = [...served, ...reviews.filter(({ group }) => !served.some((other) => other.group === group))];
  }

  /** `APIGroupDiscoveryList` of the core group, or of all others. */
  aggregated(version: 'v2' | 'v2beta1', isCore: boolean): unknown {
    const items = this.groups.filter(({ group }) => (group === '') === isCore).map(toGroupDiscovery);
    return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
  }

  /** `GET /api`. */
  coreVersions(): unknown {
    const core = this.groups.find(({ group }) => group === '');
    return { kind: 'APIVersions', versions: (core?.versions ?? []).map(({ version }) => version) };
  }

  /** `GET /apis`. */
  groupList(): unknown {
    const groups = this.groups.filter(({ group }) => group !== '').map(toGroup);
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }

  /** `GET /apis/<group>`; undefined for an unknown group. */
  group(name: string): unknown {
    const found = this.groups.find(({ group }) => group === name);
    return found && { kind: 'APIGroup', apiVersion: 'v1', ...toGroup(found) };
  }

  /** `GET /apis/<group>/<version>` and `/api/v1`; undefined when nothing is served there. */
  resources(name: string, version: string): unknown {
    const found = this.groups.find(({ group }) => group === name)?.versions.find((item) => item.version === version);
    if (!found) return undefined;
    const resources = found.resources.flatMap(toResources);
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: formatApiVersion(name, version), resources };
  }
}

function toGroup({ group, versions }: DiscoveredGroup): Record<string, unknown> {
  const listed = versions.map(({ version }) => ({ groupVersion: formatApiVersion(group, version), version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

function toResources(resource: DiscoveredResource): unknown[] {
  const { plural, singular, kind, namespaced, verbs, shortNames, categories, subresources } = resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  };
  const below = subresources.map((sub) => ({
    name: `${plural}/${sub.name}`,
    singularName: '',
    namespaced,
    kind,
    ...sub.responseKind,
    verbs: sub.verbs,
  }));
  return [main, ...below];
}

function toGroupDiscovery({ group, versions }: DiscoveredGroup): unknown {
  return {
    metadata: { name: group, creationTimestamp: null },
    versions: versions.map(({ version, resources }) => ({
      version,
      freshness: 'Current',
      resources: resources.map((resource) => toResourceDiscovery({ group, version }, resource)),
    })),
  };
}

function toResourceDiscovery(at: { group: string; version: string }, resource: DiscoveredResource): unknown {
  const responseKind = { ...at, kind: resource.kind };
  return {
    resource: resource.plural,
    responseKind,
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(resource.subresources.length > 0
      ? { subresources: resource.subresources.map((sub) => toSubresourceDiscovery(sub, responseKind)) }
      : {}),
  };
}

function toSubresourceDiscovery({ name, verbs, responseKind }: DiscoveredSubresource, parent: unknown): unknown {
  return { subresource: name, responseKind: responseKind ?? parent, verbs };
}
