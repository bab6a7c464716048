import type { CallContext, ResourceRouter } from '@crate/resource-client';
import { ProjectContents } from './project.admission.js';

/** Asks the owner of every namespaced kind. */
export class RoutedProjectContents extends ProjectContents {
  constructor(
    private readonly router: ResourceRouter,
    private readonly context: CallContext,
  ) {
    super();
  }

  async list(namespace: string, limit: number): Promise<readonly string[]> {
    const found: string[] = [];
    for (const kind of this.router.kinds()) {
      if (!kind.namespaced || found.length >= limit) continue;
      const route = this.router.find(kind.group, kind.version, kind.plural);
      const page = await route?.api.list(kind, { namespace, limit: limit - found.length }, this.context);
      found.push(...(page?.items ?? []).map((item) => `${kind.singular}/${item.metadata.name}`));
    }
    return found;
  }
}
