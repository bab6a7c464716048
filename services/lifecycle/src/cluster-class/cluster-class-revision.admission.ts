import { forbidden } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';

/** Lets nobody but the owning service write revisions: clusters are resolved with what they say. */
export function revisionAdmission(service: string): AdmissionHook {
  return ({ object, context }) => {
    if (context.caller.service === service) return Promise.resolve();
    const { name } = object.metadata;
    const message = `clusterclassrevisions "${name}" is forbidden: revisions are made by Crate when a ClusterClass changes`;
    return Promise.reject(forbidden(message, { group: 'lifecycle.crate.dev', kind: 'clusterclassrevisions', name }));
  };
}
