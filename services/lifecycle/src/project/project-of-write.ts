import type { Project } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import { RememberedObjects, type AdmissionRequest } from '@crate/resource-server';

/** The Project that a write belongs to, remembered or read, once for all hooks that judge the same attempt of it. */
export class ProjectOfWrite {
  private readonly found = new WeakMap<object, Promise<Project | undefined>>();
  private readonly projects: RememberedObjects<Project>;

  constructor(projects: Pick<TypedClient<Project>, 'find' | 'kind'>) {
    this.projects = new RememberedObjects(projects);
  }

  /** Undefined when there is none of that name. */
  find({ attempt, object }: Pick<AdmissionRequest, 'attempt' | 'object'>): Promise<Project | undefined> {
    const known = attempt && this.found.get(attempt);
    if (known) return known;
    const found = this.projects.find(object.metadata.namespace ?? '', undefined, attempt);
    if (attempt) this.found.set(attempt, found);
    return found;
  }
}
