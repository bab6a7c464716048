import type { Project } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { AdmissionRequest } from '@crate/resource-server';

/** The Project that a write belongs to, read once for all hooks that judge the same attempt of it. */
export class ProjectOfWrite {
  private readonly read = new WeakMap<object, Promise<Project | undefined>>();

  constructor(private readonly projects: Pick<TypedClient<Project>, 'find'>) {}

  /** Undefined when there is none of that name. */
  find({ attempt, object }: Pick<AdmissionRequest, 'attempt' | 'object'>): Promise<Project | undefined> {
    const known = attempt && this.read.get(attempt);
    if (known) return known;
    const found = this.projects.find(object.metadata.namespace ?? '');
    if (attempt) this.read.set(attempt, found);
    return found;
  }
}
