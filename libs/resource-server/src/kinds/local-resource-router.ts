import { ResourceRouter, type KindInfo, type ResourceApi, type Route } from '@crate/resource-client';
import type { KindRegistry } from './kind-registry.js';

/** Routes every kind of a registry to one API: the whole server in one process. */
export class LocalResourceRouter extends ResourceRouter {
  constructor(
    private readonly registry: KindRegistry,
    private readonly api: ResourceApi,
  ) {
    super();
  }

  override kinds(): readonly KindInfo[] {
    return this.registry.infos();
  }

  override find(group: string, version: string, plural: string): Route | undefined {
    const kind = this.registry.find({ group, version, plural });
    return kind && { kind: kind.info, api: this.api };
  }
}
