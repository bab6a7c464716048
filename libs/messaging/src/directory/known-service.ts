import type { KindInfo, ResourceApi, Route } from '@crate/resource-client';
import { ANNOUNCE_EVERY_MS, type Announcement } from './announcement.js';

/** A replica that missed three announcements is gone. */
const REPLICA_EXPIRES_MS = 3 * ANNOUNCE_EVERY_MS + 5000;
/** A service with no replica left is forgotten after this time. */
const SERVICE_EXPIRES_MS = 10 * 60_000;

interface Replica {
  readonly text: string;
  readonly kinds: readonly KindInfo[];
  seenAt: number;
}

/** What one service announced, over all of its replicas. */
export class KnownService {
  private readonly replicas = new Map<string, Replica>();
  private seenAt = 0;

  constructor(private readonly api: ResourceApi) {}

  /** True when a replica says what it said before; it is then alive for another while. */
  isRepeated(text: string, now: number): boolean {
    const replica = [...this.replicas.values()].find((known) => known.text === text);
    if (!replica) return false;
    replica.seenAt = now;
    this.seenAt = now;
    return true;
  }

  update({ replica, kinds }: Announcement, text: string, now: number): void {
    this.replicas.set(replica, { text, kinds, seenAt: now });
    this.seenAt = now;
  }

  /** Drops replicas that went silent, but never the last one. True when any was dropped. */
  expire(now: number): boolean {
    const silent = [...this.replicas].filter(([, replica]) => now - replica.seenAt > REPLICA_EXPIRES_MS);
    const dropped = silent.length < this.replicas.size ? silent : silent.filter(([, it]) => it.seenAt < this.seenAt);
    for (const [name] of dropped) this.replicas.delete(name);
    return dropped.length > 0 || this.isForgotten(now);
  }

  isForgotten(now: number): boolean {
    return now - this.seenAt > SERVICE_EXPIRES_MS;
  }

  /** Kinds of all replicas; while versions roll, old and new are both served by someone. */
  routes(): readonly Route[] {
    const oldestFirst = [...this.replicas.values()].sort((left, right) => left.seenAt - right.seenAt);
    return oldestFirst.flatMap(({ kinds }) => kinds.map((kind) => ({ kind, api: this.api })));
  }
}
