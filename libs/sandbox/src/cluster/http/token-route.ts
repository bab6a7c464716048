import { notFound } from '@crate/errors';
import type { Authorize, Exchange, ExtraRoute } from '@crate/resource-server';
import { SERVICE_ACCOUNT } from '../kinds/core.js';
import type { ObjectCache } from '../runtime/object-cache.js';
import type { Authenticator } from './authenticator.js';
import { readJson } from './read-json.js';

const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/serviceaccounts\/([^/]+)\/token$/;
const DEFAULT_SECONDS = 3600;

/** `kubectl create token`. */
export class TokenRoute implements ExtraRoute {
  constructor(
    private readonly cache: ObjectCache,
    private readonly authenticator: Authenticator,
    private readonly authorize: Authorize,
  ) {}

  matches(method: string, path: string): boolean {
    return method === 'POST' && PATH.test(path);
  }

  async handle(exchange: Exchange): Promise<void> {
    const [, namespace = '', name = ''] = PATH.exec(exchange.path) ?? [];
    const resource = { group: '', version: 'v1', resource: 'serviceaccounts', subresource: 'token' };
    await this.authorize(exchange.context.caller, { ...resource, namespace, name, verb: 'create' });
    const account = this.cache.find(SERVICE_ACCOUNT, name, namespace);
    if (!account) throw notFound('serviceaccounts', name);
    const request = (await readJson(exchange.request)) as { readonly spec?: { readonly expirationSeconds?: number } };
    const seconds = request.spec?.expirationSeconds ?? DEFAULT_SECONDS;
    const now = new Date();
    const token = this.authenticator.issue({ namespace, name, uid: account.metadata.uid }, seconds, now);
    const expirationTimestamp = new Date(now.getTime() + seconds * 1000).toISOString();
    exchange.respond.object(201, {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, creationTimestamp: now.toISOString() },
      spec: { expirationSeconds: seconds },
      status: { token, expirationTimestamp },
    });
  }
}
