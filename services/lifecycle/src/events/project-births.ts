import type { Project } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

/** A Project that was created or deleted a moment ago may still be seen as it was. */
const REMEMBERED_MS = 2_000;
/** What happens to objects without a namespace is told here. */
const NO_PROJECT = 'default';

/** When Projects came into being. */
export class ProjectBirths {
  private readonly known = new Map<string, { readonly bornAt: number | undefined; readonly seenAt: number }>();

  constructor(
    private readonly projects: Pick<TypedClient<Project>, 'find'>,
    /** A clock that nobody sets: set back, what is remembered would count for as long as that. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Milliseconds since the epoch; undefined when there is no such Project. */
  async of(namespace: string): Promise<number | undefined> {
    if (namespace === NO_PROJECT) return 0;
    const known = this.known.get(namespace);
    if (known && this.now() - known.seenAt < REMEMBERED_MS) return known.bornAt;
    const project = await this.projects.find(namespace);
    const bornAt = project && Date.parse(project.metadata.creationTimestamp);
    if (this.known.size > 1000) this.known.clear();
    this.known.set(namespace, { bornAt, seenAt: this.now() });
    return bornAt;
  }
}
