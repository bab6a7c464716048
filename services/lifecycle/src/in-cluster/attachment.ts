import { setTimeout as delay } from 'node:timers/promises';
import { EXISTING, type Cluster, type Project } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import type { InClusterConfig } from './in-cluster.config.js';

/** On the Project: the cluster was shown once. Who deletes it afterwards means it. */
export const ATTACHED_ANNOTATION = 'lifecycle.crate.dev/in-cluster-attached';

const MANAGER = 'crate-in-cluster';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

export interface AttachmentPorts {
  readonly projects: Pick<TypedClient<Project>, 'ensure' | 'merge'>;
  readonly clusters: Pick<TypedClient<Cluster>, 'ensure'>;
  readonly logger: Logger;
  readonly firstPauseMs?: number;
}

/** Shows the cluster that the platform runs in as a Cluster, once. */
export class Attachment {
  private readonly stopping = new AbortController();
  private attaching: Promise<void> = Promise.resolve();

  constructor(
    private readonly ports: AttachmentPorts,
    private readonly place: Pick<InClusterConfig, 'project' | 'name'>,
  ) {}

  /** Tries until it is done or `stop`: policies judge this cluster as any, and policy-mgmt may start later. */
  start(): void {
    this.attaching = this.untilAttached();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.attaching;
  }

  /** Makes the Project, and the Cluster unless it was there once. Idempotent, also for replicas that start at one time. */
  async attach(): Promise<void> {
    const { projects, clusters } = this.ports;
    const { project, name } = this.place;
    const owner = await projects.ensure({ metadata: { name: project }, spec: {} }, MANAGER);
    if (owner.metadata.annotations?.[ATTACHED_ANNOTATION] !== undefined) return;
    const spec = { kubernetes: { engine: EXISTING } };
    await clusters.ensure({ metadata: { name, namespace: project }, spec }, MANAGER);
    await projects.merge(project, undefined, { metadata: { annotations: { [ATTACHED_ANNOTATION]: 'true' } } });
  }

  private async untilAttached(): Promise<void> {
    const { signal } = this.stopping;
    let pauseMs = this.ports.firstPauseMs ?? FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        return await this.attach();
      } catch (error) {
        this.ports.logger.warn('Trying again to show the cluster that the platform runs in', { error });
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}
