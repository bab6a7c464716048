import type { IncomingHttpHeaders } from 'node:http';
import { forbiddenFor, type ResourceAttributes } from './authorization.js';
import type { Interceptor } from './kubernetes-request-handler.js';

const CORE = { verb: 'impersonate', group: '', version: 'v1' };
const AUTHENTICATION = { verb: 'impersonate', group: 'authentication.k8s.io', version: 'v1' };
const EXTRA = 'impersonate-extra-';

/**
 * What a request needs a right to before it may be carried out as somebody else; undefined for one that asks nothing of the kind.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonationOf(headers: IncomingHttpHeaders): ResourceAttributes | undefined {
  const extra = Object.keys(headers).find((name) => name.startsWith(EXTRA));
  const asked: readonly (readonly [string | undefined, Omit<ResourceAttributes, 'name'>])[] = [
    ['impersonate-user', { ...CORE, resource: 'users' }],
    ['impersonate-group', { ...CORE, resource: 'groups' }],
    ['impersonate-uid', { ...AUTHENTICATION, resource: 'uids' }],
    [extra, { ...AUTHENTICATION, resource: 'userextras', subresource: extra?.slice(EXTRA.length) ?? '' }],
  ];
  const found = asked.find(([header]) => header !== undefined && headers[header] !== undefined);
  return found && { ...found[1], name: String(headers[found[0] ?? '']) };
}

/** For servers that carry out nothing as somebody else: doing it as the caller would be another thing than what was asked for. */
export const refuseImpersonation: Interceptor = ({ request, context }) => {
  const wanted = impersonationOf(request.headers);
  return wanted ? Promise.reject(forbiddenFor(context.caller, wanted)) : Promise.resolve(undefined);
};
