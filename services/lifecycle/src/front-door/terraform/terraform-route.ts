import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { hasCode, isPlatformError, notFound, PlatformError, badRequest } from '@crate/errors';
import type { ResourceApi, ResourceRouter } from '@crate/resource-client';
import { readBody, type Authorize, type Exchange, type ExtraRoute } from '@crate/resource-server';
import { lockAnswer, lockRequest, type ShownLock } from './terraform-lock.js';
import { isTerraformPath, terraformTarget, type TerraformTarget } from './terraform-target.js';

/** A state with a thousand resources has some 3 MB; it travels on compressed. */
const STATE_LIMIT_BYTES = 24 * 1024 * 1024;
const LOCK_LIMIT_BYTES = 64 * 1024;
const METHODS = 'GET, POST, LOCK, UNLOCK';

interface Call extends TerraformTarget {
  readonly api: ResourceApi;
  readonly exchange: Exchange;
}

/**
 * The state of an Infrastructure as an HTTP backend of Terraform, for an emergency: `/terraform/<project>/<infrastructure>`. Reads and
 * writes are those of the subresources `state`, `lock` and `unlock`, made as the caller, so they are recorded where all others are.
 * Source: https://developer.hashicorp.com/terraform/language/backend/http
 */
export function terraformRoute(router: ResourceRouter, authorize: Authorize): ExtraRoute {
  return {
    matches: (_method, path) => isTerraformPath(path),
    handle: async (exchange) => {
      const target = terraformTarget(exchange.method, exchange.path);
      if (!target) throw wrongMethod(exchange);
      const { ref, verb, subresource } = target;
      const { group, version, plural: resource, name, namespace } = ref;
      await authorize(exchange.context.caller, { verb, group, version, resource, subresource, namespace, name });
      const route = router.find(group, version, resource);
      if (!route) throw notFound(resource, name, group);
      await answer({ ...target, api: route.api, exchange });
    },
  };
}

function answer(call: Call): Promise<void> {
  switch (call.subresource) {
    case 'state':
      return call.verb === 'get' ? sendState(call) : storeState(call);
    case 'lock':
      return lock(call);
    case 'unlock':
      return unlock(call);
  }
}

async function sendState({ api, ref, exchange }: Call): Promise<void> {
  const { state } = (await api.readSubresource(ref, 'state', exchange.context)) as { state?: string };
  exchange.response.setHeader('cache-control', 'no-store');
  if (state === undefined) {
    exchange.response.writeHead(204).end();
    return;
  }
  const content = await promisify(gunzip)(Buffer.from(state, 'base64'));
  exchange.respond.text(200, content.toString('utf8'), 'application/json');
}

async function storeState({ api, ref, exchange }: Call): Promise<void> {
  const content = await readBody(exchange.request, STATE_LIMIT_BYTES);
  const state = (await promisify(gzip)(content)).toString('base64');
  const lockId = exchange.query.get('ID');
  const body = { state, ...(lockId ? { lockId } : {}) };
  await api.writeSubresource(ref, 'state', { verb: 'update', body }, exchange.context);
  done(exchange);
}

async function lock({ api, ref, exchange }: Call): Promise<void> {
  const body = lockRequest(await bodyOf(exchange));
  try {
    await api.writeSubresource(ref, 'lock', { verb: 'create', body }, exchange.context);
  } catch (error) {
    if (!isLocked(error)) throw error;
    const held = (await api.readSubresource(ref, 'lock', exchange.context)) as Partial<ShownLock>;
    exchange.respond.object(423, lockAnswer(held, error));
    return;
  }
  done(exchange);
}

/** `terraform force-unlock` does not say which lock it means. */
async function unlock({ api, ref, exchange }: Call): Promise<void> {
  const info = await bodyOf(exchange);
  const body = info === undefined ? {} : { id: lockRequest(info).id };
  await api.writeSubresource(ref, 'unlock', { verb: 'create', body }, exchange.context);
  done(exchange);
}

function done({ response }: Exchange): void {
  response.writeHead(200, { 'content-length': 0 }).end();
}

function isLocked(error: unknown): error is PlatformError {
  return hasCode(error, 'Conflict') && isPlatformError(error) && error.details.reason === 'StateLocked';
}

/** Undefined when there is none. */
async function bodyOf({ request }: Exchange): Promise<unknown> {
  const text = (await readBody(request, LOCK_LIMIT_BYTES)).toString('utf8').trim();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body must be the lock info of Terraform, as JSON');
  }
}

function wrongMethod({ method, response }: Exchange): PlatformError {
  response.setHeader('allow', METHODS);
  return new PlatformError('MethodNotAllowed', `${method} is no part of the protocol: want one of ${METHODS}`);
}
