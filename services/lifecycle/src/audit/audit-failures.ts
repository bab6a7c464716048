import { INFRASTRUCTURE } from '@crate/api';
import { subjectOf, type CallRecorder, type CallSubject } from '@crate/audit';
import type { KubernetesStatus } from '@crate/errors';
import type { KindInfo, ResourceRouter } from '@crate/resource-client';
import { isTryOnly, parseResourcePath, type Exchange, type ResourcePath } from '@crate/resource-server';
import { terraformTarget } from '../front-door/terraform/terraform-target.js';

/** Verbs by method; only calls that would have changed something are recorded. */
const WRITES: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/**
 * Records what people were refused, or failed in, before they are told: writes, and reads of secrets. What succeeds is recorded by
 * the owner of the object, together with the write.
 */
export function auditFailures(
  recorder: CallRecorder,
  router: ResourceRouter,
): (exchange: Exchange, status: KubernetesStatus) => Promise<void> {
  return async (exchange, status) => {
    const subject = subjectOfRequest(exchange, router, status);
    if (!subject) return;
    const dryRun = await isTryOnly(exchange);
    await recorder.failure({ ...subject, dryRun }, exchange.context, status);
  };
}

function subjectOfRequest(
  { method, path }: Exchange,
  router: ResourceRouter,
  { details }: KubernetesStatus,
): CallSubject | undefined {
  const terraform = terraformTarget(method, path);
  if (terraform) {
    const { ref, verb, subresource } = terraform;
    return subjectOf(verb, ref, { kind: INFRASTRUCTURE.kind, subresource });
  }
  const target = parseResourcePath(path);
  const kind = target && router.find(target.group, target.version, target.plural)?.kind;
  if (!target || !kind) return undefined;
  const verb = verbOf(method, target, kind);
  if (verb === undefined) return undefined;
  const { name = details?.name ?? '', subresource } = target;
  const part = subresource === undefined ? {} : { subresource };
  return subjectOf(verb, { ...target, name }, { kind: kind.kind, ...part });
}

function verbOf(method: string, target: ResourcePath, kind: KindInfo): string | undefined {
  if (method === 'DELETE' && target.name === undefined) return 'deletecollection';
  return WRITES[method] ?? (isSecret(kind, target.subresource) ? 'get' : undefined);
}

function isSecret({ subresources }: KindInfo, subresource: string | undefined): boolean {
  return subresources.some(({ name, isSecret: holdsSecret }) => name === subresource && holdsSecret === true);
}
