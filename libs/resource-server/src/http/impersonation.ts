import type { IncomingHttpHeaders } from 'node:http';
import { forbiddenFor, type ResourceAttributes } from './authorization.js';
import type { Interceptor } from './kubernetes-request-handler.js';

const CORE = { verb: 'impersonate', group: '', version: 'v1' };
const AUTHENTICATION = { verb: 'impersonate', group: 'authentication.k8s.io', version: 'v1' };
const EXTRA = 'impersonate-extra-';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * All that a request needs a right to, each by itself, before it may be carried out as somebody else; empty for one that asks nothing of the kind.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
export function impersonationsOf(headers: IncomingHttpHeaders): readonly ResourceAttributes[] {
  const extras = Object.keys(headers).filter((header) => header.startsWith(EXTRA));
  return [
    ...impersonatedValues(headers, 'impersonate-user').map(userAttributes),
    ...impersonatedValues(headers, 'impersonate-group').map((name) => ({ ...CORE, resource: 'groups', name })),
    ...impersonatedValues(headers, 'impersonate-uid').map((name) => ({ ...AUTHENTICATION, resource: 'uids', name })),
    ...extras.flatMap((header) =>
      impersonatedValues(headers, header).map((name) => ({
        ...AUTHENTICATION,
        resource: 'userextras',
        subresource: header.slice(EXTRA.length),
        name,
      })),
    ),
  ];
}

/** What a header of impersonation asks for: groups and what else is known of somebody may be several, which Node joins. */
export function impersonatedValues(headers: IncomingHttpHeaders, header: string): readonly string[] {
  const found = headers[header] ?? [];
  if (typeof found !== 'string') return found;
  return header === 'impersonate-group' || header.startsWith(EXTRA) ? found.split(', ') : [found];
}

function userAttributes(user: string): ResourceAttributes {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  if (namespace === undefined || name === undefined) return { ...CORE, resource: 'users', name: user };
  return { ...CORE, resource: 'serviceaccounts', namespace, name };
}

/** For servers that carry out nothing as somebody else: doing it as the caller would be another thing than what was asked for. */
export const refuseImpersonation: Interceptor = ({ request, context }) => {
  const [wanted] = impersonationsOf(request.headers);
  return wanted ? Promise.reject(forbiddenFor(context.caller, wanted)) : Promise.resolve(undefined);
};
