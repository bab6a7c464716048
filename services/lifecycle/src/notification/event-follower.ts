import type { Cluster, EventObject, NotificationChannel, Project } from '@crate/api';
import { hasCode } from '@crate/errors';
import { EVENT_COLLECTION } from '@crate/events';
import type { TypedClient } from '@crate/resource-client';
import type { ChangeNotice, ResourceStore } from '@crate/resource-store';
import type { Logger } from '@crate/telemetry';
import { belongsTo, selects, wants } from './channel-match.js';
import type { Outbox, Wanted } from './outbox.js';
import { subjectOf, tellingOf, type ToldEvent } from './telling.js';

export interface EventFollowerOptions {
  /** Where the events of all services are kept. */
  readonly events: ResourceStore;
  readonly channels: Pick<TypedClient<NotificationChannel>, 'list'>;
  readonly projects: Pick<TypedClient<Project>, 'find'>;
  readonly clusters: Pick<TypedClient<Cluster>, 'find'>;
  readonly outbox: Outbox;
  readonly logger: Logger;
  /** Told of the Projects whose channels have something to send now. */
  readonly onTaken: (projects: readonly string[]) => void;
  readonly onDropped?: (messages: number) => void;
  readonly pollMs?: number;
}

const POLL_MS = 5_000;
/** Changes that are looked at and taken together. */
const PAGE = 500;
/** Further behind than this the position is moved although there is no channel: the log is not kept for ever. */
const FAR_BEHIND = 1_000;
/** What is told within this time is looked at together. */
const GATHER_MS = 50;

/**
 * Puts what events tell into the queues of the channels that want to hear it. Any number of replicas follow the same log from the same
 * position, and each change is taken by one of them: position and messages move in one transaction.
 */
export class EventFollower {
  private undo: () => void = () => undefined;
  private poll: NodeJS.Timeout | undefined;
  private soon: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly options: EventFollowerOptions) {}

  start(): void {
    this.undo = this.options.events.onChange(() => this.wake());
    this.poll = setInterval(() => this.wake(), this.options.pollMs ?? POLL_MS).unref();
    this.wake();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.undo();
    clearInterval(this.poll);
    clearTimeout(this.soon);
    await this.work;
  }

  /** Takes everything that has changed since somebody looked. Idempotent. */
  async look(): Promise<void> {
    while (!this.isStopped && (await this.step()));
  }

  private wake(): void {
    if (this.isStopped) return;
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      this.work = this.work.then(() => this.lookQuietly());
    }, GATHER_MS).unref();
  }

  private async lookQuietly(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      this.options.logger.warn('Looking for what to notify of failed, trying again', { error });
    }
  }

  /** One page; false when there was none. */
  private async step(): Promise<boolean> {
    const { events, outbox } = this.options;
    const from = await outbox.position();
    const head = await events.currentRevision();
    // The first time what happened before is nobody's news; and a log that was set back begins anew.
    if (from === undefined || BigInt(from) > BigInt(head)) {
      await outbox.take(from, head, []);
      return false;
    }
    const channels = await this.options.channels.list();
    if (channels.length === 0) return this.idle(from, head);
    const { changed, to } = await this.changedSince(from, head, projectsOf(channels));
    if (to === from) return false;
    await this.take(from, to, await this.wantedOf(changed, channels));
    return true;
  }

  /** While nobody wants to hear anything, the position follows from afar: what is told then costs no write here. */
  private async idle(from: string, head: string): Promise<false> {
    if (BigInt(head) - BigInt(from) > BigInt(FAR_BEHIND)) await this.options.outbox.take(from, head, []);
    return false;
  }

  private async take(from: string, to: string, wanted: readonly Wanted[]): Promise<void> {
    const dropped = await this.options.outbox.take(from, to, wanted);
    if (dropped === false) return;
    if (dropped > 0) this.options.onDropped?.(dropped);
    const projects = [...new Set(wanted.map(({ channel }) => channel.project))];
    if (projects.length > 0) this.options.onTaken(projects);
  }

  /** Events of the Projects, as they are now, that changed after a revision; and up to where that looks. */
  private async changedSince(
    from: string,
    head: string,
    projects: ReadonlySet<string>,
  ): Promise<{ changed: readonly EventObject[]; to: string }> {
    const { events } = this.options;
    try {
      const notices = await events.changesSince(from, PAGE);
      const to = notices.at(-1)?.revision ?? from;
      const concerned = notices.filter(({ key, type }) => type !== 'DELETED' && projects.has(key.namespace));
      return { changed: await this.current(concerned), to };
    } catch (error) {
      if (!hasCode(error, 'Gone')) throw error;
      this.options.logger.warn('The log of events does not reach back to where notifications were, reading all events');
      const { items } = await events.list(EVENT_COLLECTION);
      const changed = items.filter(({ metadata }) => BigInt(metadata.resourceVersion) > BigInt(from));
      return { changed: changed as unknown as readonly EventObject[], to: head };
    }
  }

  private async current(notices: readonly ChangeNotice[]): Promise<readonly EventObject[]> {
    const keys = new Map(notices.map(({ key, uid }) => [uid, key]));
    const found = await Promise.all([...keys.values()].map((key) => this.options.events.find(key)));
    return found.filter((event): event is EventObject => event !== undefined);
  }

  private async wantedOf(
    events: readonly EventObject[],
    channels: readonly NotificationChannel[],
  ): Promise<readonly Wanted[]> {
    const told = events.map(tellingOf).filter((each) => each !== undefined);
    const listening = await this.ofTheirProjects(channels, new Set(told.map(({ project }) => project)));
    const wanted: Wanted[] = [];
    for (const each of told) {
      for (const channel of listening) {
        const want = wants(channel, each);
        if (want === false || !(await this.isSelected(channel, each))) continue;
        wanted.push({ ...wantedBy(channel, each), ...(want === 'after-trouble' ? { isAfterTrouble: true } : {}) });
      }
    }
    return wanted;
  }

  /** Those of the Projects of these names as they are now. */
  private async ofTheirProjects(
    channels: readonly NotificationChannel[],
    names: ReadonlySet<string>,
  ): Promise<readonly NotificationChannel[]> {
    const found: NotificationChannel[] = [];
    for (const name of names) {
      const project = await this.options.projects.find(name);
      found.push(...channels.filter((each) => each.metadata.namespace === name && belongsTo(each, project)));
    }
    return found;
  }

  private async isSelected({ spec }: NotificationChannel, { cluster, project }: ToldEvent): Promise<boolean> {
    const selector = spec.match?.clusterSelector;
    if (!selector) return true;
    if (!cluster) return false;
    const found = await this.options.clusters.find(cluster.name, project);
    return found?.metadata.uid === cluster.uid && selects(selector, found.metadata.labels ?? {});
  }
}

function wantedBy({ metadata }: NotificationChannel, { eventId, ...telling }: ToldEvent): Wanted {
  const { uid, name, namespace: project = '' } = metadata;
  return { channel: { uid, name, project }, eventId, subject: subjectOf(telling), telling };
}

function projectsOf(channels: readonly NotificationChannel[]): ReadonlySet<string> {
  return new Set(channels.map(({ metadata }) => metadata.namespace ?? ''));
}
