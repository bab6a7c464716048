import { notFound } from '@crate/errors';
import type { ResourceRef } from '@crate/resource-client';

const CORE = /^\/api\/(v1)\/(?:namespaces\/([^/]+)\/(?=[^/]+\/[^/]))?([^/]+)\/([^/]+)(?:\/([^/]+))?$/;
const GROUP = /^\/apis\/([^/]+)\/([^/]+)\/(?:namespaces\/([^/]+)\/(?=[^/]+\/[^/]))?([^/]+)\/([^/]+)(?:\/([^/]+))?$/;

/** The object a path names; throws NotFound for other paths. */
export function coreResource(path: string): { readonly ref: ResourceRef; readonly subresource?: string } {
  const decoded = decodeURIComponent(path);
  const core = CORE.exec(decoded);
  const [group, version, namespace, plural, name, subresource] = core
    ? ['', ...core.slice(1)]
    : (GROUP.exec(decoded) ?? []).slice(1);
  if (group === undefined || !version || !plural || !name) throw notFound('path', path);
  const ref = { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
  return { ref, ...(subresource === undefined ? {} : { subresource }) };
}
