import { join } from 'node:path';
import type { ApiClient } from '../platform/api-client.js';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { readCloud } from '../world/cloud-journal.js';
import { FOLLOWED, type Mark } from '../world/followed.js';
import { isOfCluster } from '../world/cluster-tag.js';
import type { KubeObject } from '../world/kube-object.js';
import type { EarlyEnd, WatchedKind } from '../world/world.js';
import { LockSampler } from './lock-sampler.js';
import { Watcher, type WatcherOptions } from './watcher.js';

/** Everything is at rest by then. */
const CATCH_UP_MS = 60_000;
const OWNER = 'crate.dev/infrastructure-uid';

/** Everything that looks on while a platform is broken. */
export class Observers {
  readonly earlyEnds: EarlyEnd[] = [];
  readonly locks: LockSampler;
  private readonly watchers: Watcher[];
  private readonly looks: Promise<void>[] = [];

  private constructor(
    private readonly platform: ChaosPlatform,
    /** One for each replica. */
    apis: readonly ApiClient[],
  ) {
    const finders = [platform.finderOf('terraform'), platform.finderOf('rke')];
    this.locks = new LockSampler(() => finders.flatMap((finder) => finder.look()));
    this.watchers = apis.flatMap((api, index) =>
      Object.entries(FOLLOWED).map(([kind, { path }]) => {
        const onEvent = kind === 'Infrastructure' ? this.seen : undefined;
        return new Watcher({ name: `client ${index + 1}`, api, kind, path, ...(onEvent ? { onEvent } : {}) });
      }),
    );
  }

  /** Looks on while the work is done, and no longer, however it ends. */
  static async during<T>(
    platform: ChaosPlatform,
    apis: readonly ApiClient[],
    work: (observers: Observers) => Promise<T>,
  ): Promise<T> {
    const observers = new Observers(platform, apis);
    observers.start();
    try {
      return await work(observers);
    } finally {
      await observers.end();
    }
  }

  private start(): void {
    this.locks.start();
    for (const watcher of this.watchers) watcher.start();
  }

  /** Stops looking, once watchers of a kind have come as far as the given revision of it. */
  async stop(revisions: Mark): Promise<readonly WatchedKind[]> {
    await Promise.all(this.watchers.map((one) => one.untilSeen(revisions[one.history.kind] ?? 0, CATCH_UP_MS)));
    await this.end();
    await Promise.all(this.looks);
    return this.watchers.map(({ history }) => history);
  }

  private async end(): Promise<void> {
    await Promise.all(this.watchers.map((one) => one.stop()));
    await this.locks.stop();
  }

  private readonly seen: NonNullable<WatcherOptions['onEvent']> = (type, object) => {
    if (type === 'DELETED') this.looks.push(this.lookAfter(object));
  };

  /** What is left of an owner right after its record was gone. */
  private async lookAfter(infrastructure: KubeObject): Promise<void> {
    const { uid } = infrastructure.metadata;
    const cloud = await readCloud(join(this.platform.directory, 'sandbox'));
    const left = cloud.filter((object) => object.tags[OWNER] === uid || isOfCluster(infrastructure, object));
    if (left.length > 0) this.earlyEnds.push({ uid, left });
  }
}
