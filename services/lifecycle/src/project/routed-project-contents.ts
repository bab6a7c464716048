import {
  API_KEY,
  CLOUD_GROUP,
  CLUSTER_GROUP,
  DELETION_RECORD,
  LIFECYCLE_GROUP,
  NOTIFICATION_CHANNEL,
  POLICY_GROUP,
} from '@crate/api';
import { unavailable } from '@crate/errors';
import type { CallContext, ResourceRouter } from '@crate/resource-client';
import { ProjectContents } from './project.admission.js';

/** Whoever owns these may hold something of a Project, so nobody can say that it is empty without them. */
const GROUPS = [LIFECYCLE_GROUP, CLOUD_GROUP, CLUSTER_GROUP, POLICY_GROUP];

/** Deleted together with their Project, and history, which outlives it for as long as it is kept. */
const NOT_CONTENT: ReadonlySet<string> = new Set([API_KEY.kind, NOTIFICATION_CHANNEL.kind, DELETION_RECORD.kind]);

/** Asks the owner of every namespaced kind. */
export class RoutedProjectContents extends ProjectContents {
  constructor(
    private readonly router: ResourceRouter,
    private readonly context: CallContext,
    /** Groups that this platform does without. */
    private readonly absentGroups: readonly string[] = [],
  ) {
    super();
  }

  async list(namespace: string, limit: number): Promise<readonly string[]> {
    const found: string[] = [];
    const kinds = this.router.kinds();
    const needed = GROUPS.filter((group) => !this.absentGroups.includes(group));
    const missing = needed.filter((group) => !kinds.some((kind) => kind.group === group));
    if (missing.length > 0) throw unavailable(`Nobody answers for ${missing.join(', ')}, try again`);
    for (const kind of kinds) {
      // Nobody could delete what is only to be read.
      const isReadOnly = kind.verbs !== undefined && !kind.verbs.includes('delete');
      if (!kind.namespaced || isReadOnly || NOT_CONTENT.has(kind.kind) || found.length >= limit) continue;
      const route = this.router.find(kind.group, kind.version, kind.plural);
      const page = await route?.api.list(kind, { namespace, limit: limit - found.length }, this.context);
      found.push(...(page?.items ?? []).map((item) => `${kind.singular}/${item.metadata.name}`));
    }
    return found;
  }
}
