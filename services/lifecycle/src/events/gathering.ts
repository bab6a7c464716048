import { EVENT, PROJECT } from '@crate/api';
import { NatsResourceApi } from '@crate/messaging';
import { TypedClient } from '@crate/resource-client';
import { serviceContext, type Foundation } from '@crate/service-host';
import { EventGatherer } from './event-gatherer.js';
import { ForgottenProjects } from './forgotten-projects.js';
import { ProjectBirths } from './project-births.js';

/** What people read of all services' events is kept by this one. */
export class EventGathering {
  private readonly gatherer: EventGatherer;
  private readonly forgotten: ForgottenProjects;

  constructor(
    { service, calls, registry, clients, events, store, logger }: Foundation,
    { keepMs }: { readonly keepMs: number },
  ) {
    const context = serviceContext(service);
    const projects = clients.for(PROJECT);
    this.gatherer = new EventGatherer({
      sources: registry
        .calleesOf(service)
        .map((callee) => new TypedClient(new NatsResourceApi(calls, callee), EVENT, context)),
      store: events.store,
      projects: new ProjectBirths(projects),
      keepMs,
      logger,
    });
    this.forgotten = new ForgottenProjects({ store, projects, retention: events.retention, logger });
  }

  start(): void {
    this.forgotten.start();
    this.gatherer.start();
  }

  async stop(): Promise<void> {
    await this.gatherer.stop();
    await this.forgotten.stop();
  }
}
