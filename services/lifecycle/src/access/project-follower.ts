import { setTimeout as delay } from 'node:timers/promises';
import { PROJECT, type Project } from '@crate/api';
import type { ResourceStore } from '@crate/resource-store';
import type { Logger } from '@crate/telemetry';
import type { ProjectMembers } from './project-members.js';

const PROJECTS = { group: PROJECT.group, kind: PROJECT.kind };

/** A change that another replica made and nobody told of is found within this time. */
const PULSE_MS = 1_000;
/** More than may pass before nobody is judged by what is known. */
const PULSES_KEPT = 60;

export interface ProjectFollowerOptions {
  readonly store: Pick<ResourceStore, 'list' | 'watch' | 'currentRevision' | 'notify'>;
  readonly members: ProjectMembers;
  readonly logger: Logger;
  /** The clock of `members`. */
  readonly now?: () => number;
}

/** Keeps `ProjectMembers` at what is stored: one list, then every change, and a pulse that proves that none is missing. */
export class ProjectFollower {
  private readonly stopping = new AbortController();
  private readonly now: () => number;
  private running: readonly Promise<void>[] = [];
  /** Times at which the store was at a revision that the watch has yet to reach. */
  private pending: { readonly at: number; readonly revision: bigint }[] = [];
  private seen = -1n;

  constructor(private readonly options: ProjectFollowerOptions) {
    this.now = options.now ?? ((): number => performance.now());
  }

  /** Returns once all members are known; goes on until `stop`. */
  async start(): Promise<void> {
    let from: string | undefined = await this.readAll();
    const follow = async (): Promise<void> => {
      while (!this.stopping.signal.aborted) from = await this.followOnce(from);
    };
    this.running = [follow(), this.pulse()];
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private async readAll(): Promise<string> {
    const at = this.now();
    const { items, metadata } = await this.options.store.list(PROJECTS);
    this.options.members.replace(items as readonly Project[]);
    this.pending = [];
    this.seen = BigInt(metadata.resourceVersion);
    this.options.members.confirm(at);
    return metadata.resourceVersion;
  }

  /** Where to go on from; undefined to begin anew. */
  private async followOnce(from: string | undefined): Promise<string | undefined> {
    const { signal } = this.stopping;
    try {
      await this.follow(from ?? (await this.readAll()));
    } catch (error) {
      if (!signal.aborted) this.options.logger.warn('Reading Projects anew after an error', { error });
    }
    await delay(PULSE_MS, undefined, { signal }).catch(() => undefined);
    return undefined;
  }

  private async follow(fromRevision: string): Promise<void> {
    const { store, members } = this.options;
    const { signal } = this.stopping;
    for await (const event of store.watch(PROJECTS, { fromRevision, signal, bookmarkEveryMs: PULSE_MS / 4 })) {
      if (event.type === 'DELETED') members.remove(event.object.metadata.name);
      else if (event.type !== 'BOOKMARK') members.set(event.object as Project);
      this.reached(BigInt(event.object.metadata.resourceVersion));
    }
  }

  /** What the store held at a time is known once the watch has come to the revision of that time. */
  private reached(revision: bigint): void {
    this.seen = revision;
    const proven = this.pending.filter((pulse) => pulse.revision <= revision);
    this.pending = this.pending.filter((pulse) => pulse.revision > revision);
    for (const { at } of proven) this.options.members.confirm(at);
  }

  private async pulse(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await delay(PULSE_MS, undefined, { signal }).catch(() => undefined);
      await this.beat();
    }
  }

  private async beat(): Promise<void> {
    const at = this.now();
    try {
      const revision = BigInt(await this.options.store.currentRevision());
      this.options.store.notify();
      this.pending = [...this.pending.slice(-PULSES_KEPT), { at, revision }];
      this.reached(this.seen);
    } catch (error) {
      this.options.logger.debug('Store does not say where it is', { error });
    }
  }
}
