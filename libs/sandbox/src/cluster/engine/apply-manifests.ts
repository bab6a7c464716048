import { parseAllDocuments } from 'yaml';
import { parseApiVersion, type Manifest } from '@crate/api';
import { badRequest, notFound } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import type { RunningCluster } from '../running-cluster.js';

const ENGINE: CallContext = {
  caller: { user: 'kube-admin', groups: ['system:masters', 'system:authenticated'] },
  traceId: '',
};

/** Applies documents in order, as the engine's deploy jobs do with kubectl. Applying the same again changes nothing. */
export async function applyManifests(cluster: RunningCluster, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const { group, version } = parseApiVersion(manifest.apiVersion);
    const info = cluster.scope.kinds.infos().find((known) => {
      return known.group === group && known.version === version && known.kind === manifest.kind;
    });
    if (!info) throw notFound(manifest.kind, manifest.metadata.name, group);
    const { name, namespace = 'default' } = manifest.metadata;
    const ref = { group, version, plural: info.plural, name, ...(info.namespaced ? { namespace } : {}) };
    const options = { type: 'apply', force: true, fieldManager: 'rke', fieldValidation: 'Ignore' } as const;
    await cluster.api.patch(ref, manifest, options, ENGINE);
  }
}

/** The documents of a YAML text; throws BadRequest for what is not Kubernetes objects. */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error) throw badRequest(error.message);
      return document.toJS() as unknown;
    })
    .filter((content) => content !== null)
    .map((content) => {
      const { apiVersion, kind, metadata } = content as Partial<Manifest>;
      if (!apiVersion || !kind || !metadata?.name) throw badRequest('apiVersion, kind and metadata.name must be set');
      return content as Manifest;
    });
}
