import type { IncomingMessage } from 'node:http';
import type { KubeObjectInput } from '@crate/api';
import { badRequest, hasCode } from '@crate/errors';
import type { FieldValidation, ResourceApi, ResourceRef } from '@crate/resource-client';
import type { Authorize, Exchange, ExtraRoute } from '@crate/resource-server';
import { readJson } from './read-json.js';
import { coreResource } from './resource-url.js';
import { strategicMerge } from './strategic-merge.js';

/** Puts strategic patches under a path of their own: the request handler chooses routes by path alone. */
const PREFIX = '/-/strategic';
const RACES = 10;

/** Leads a strategic merge patch to `StrategicPatchRoute`; other requests stay as they are. */
export function redirectStrategicPatch(request: IncomingMessage): void {
  const isStrategic = (request.headers['content-type'] ?? '').startsWith('application/strategic-merge-patch+json');
  if (request.method === 'PATCH' && isStrategic) request.url = `${PREFIX}${request.url ?? ''}`;
}

/** Strategic merge patches, which kubectl sends for Kubernetes' own kinds. */
export class StrategicPatchRoute implements ExtraRoute {
  constructor(
    private readonly api: ResourceApi,
    private readonly authorize: Authorize,
  ) {}

  matches(method: string, path: string): boolean {
    return method === 'PATCH' && path.startsWith(`${PREFIX}/`);
  }

  async handle(exchange: Exchange): Promise<void> {
    const { ref, subresource } = coreResource(exchange.path.slice(PREFIX.length));
    if (subresource !== undefined && subresource !== 'status') throw badRequest('the subresource takes no patch');
    const { plural: resource, ...where } = ref;
    await this.authorize(exchange.context.caller, { ...where, resource, verb: 'patch' });
    const patch = await readJson(exchange.request);
    const object = await this.apply(ref, patch, subresource, exchange);
    exchange.respond.object(200, object);
  }

  private async apply(
    ref: ResourceRef,
    patch: unknown,
    subresource: 'status' | undefined,
    { query, context }: Exchange,
  ): Promise<unknown> {
    const options = {
      dryRun: query.get('dryRun') === 'All',
      fieldManager: query.get('fieldManager') ?? 'kubectl',
      fieldValidation: (query.get('fieldValidation') ?? 'Warn') as FieldValidation,
      ...(subresource === undefined ? {} : { subresource }),
    };
    for (let attempt = 1; ; attempt += 1) {
      const live = await this.api.get(ref, context);
      const merged = strategicMerge(live, patch) as KubeObjectInput;
      try {
        return (await this.api.update(ref, merged, options, context)).object;
      } catch (error) {
        // The merged object carries the version it was made from, so a write in between is seen, never lost.
        const isOurRace = merged.metadata.resourceVersion === live.metadata.resourceVersion;
        if (!hasCode(error, 'Conflict') || !isOurRace || attempt === RACES) throw error;
      }
    }
  }
}
