import { PROJECT, type Project } from '@crate/api';
import { CLUSTER_SCOPED_NAMESPACE, type EventRetention } from '@crate/events';
import type { TypedClient } from '@crate/resource-client';
import type { ChangeNotice, ResourceStore } from '@crate/resource-store';
import type { Logger } from '@crate/telemetry';

export interface ForgottenProjectsOptions {
  readonly store: ResourceStore;
  readonly projects: Pick<TypedClient<Project>, 'find' | 'list'>;
  readonly retention: Pick<EventRetention, 'namespaces' | 'removeNamespace'>;
  readonly logger: Logger;
}

/** Takes events away with their Project: whoever gets its name next must not read what happened to others. */
export class ForgottenProjects {
  private undo: () => void = () => undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: ForgottenProjectsOptions) {}

  start(): void {
    this.undo = this.options.store.onChange((notices) => notices.forEach((notice) => this.onNotice(notice)));
    // What was deleted while nobody was there to see it.
    this.later(() => this.sweep());
  }

  async stop(): Promise<void> {
    this.undo();
    await this.work;
  }

  /** Empties namespaces that are no Project's. Idempotent. */
  async sweep(): Promise<void> {
    const { projects, retention } = this.options;
    // Asked for first: events of a Project that is made meanwhile are not among them.
    const namespaces = await retention.namespaces();
    const existing = new Set((await projects.list()).map(({ metadata }) => metadata.name));
    for (const namespace of namespaces) {
      if (namespace !== CLUSTER_SCOPED_NAMESPACE && !existing.has(namespace))
        await retention.removeNamespace(namespace);
    }
  }

  private onNotice({ key, type }: ChangeNotice): void {
    // A new one too: an event may have been on its way when the Project of that name was deleted.
    if (key.group !== PROJECT.group || key.kind !== PROJECT.kind || type === 'MODIFIED') return;
    this.later(() => this.forget(key.name));
  }

  /** What is heard late, be it of the end of the Project before, is no reason to take away what happened in the one of now. */
  private async forget(name: string): Promise<void> {
    // Of an older installation, which let a Project be called so: what is there is not its own alone.
    if (name === CLUSTER_SCOPED_NAMESPACE) return;
    const { projects, retention } = this.options;
    const project = await projects.find(name);
    await retention.removeNamespace(name, project && new Date(project.metadata.creationTimestamp));
  }

  private later(work: () => Promise<unknown>): void {
    this.work = this.work
      .then(work)
      .then(() => undefined)
      .catch((error: unknown) => this.options.logger.warn('Removing events of a Project failed', { error }));
  }
}
