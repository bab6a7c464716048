import { requireQuiet, stateLocked, StateLocks, type HeldLock, type LockByHand, type Quiet } from './state-locks.js';

/** The same contract without a database, for unit tests. */
export class InMemoryStateLocks extends StateLocks {
  private readonly held = new Map<string, HeldLock>();
  /** The newest that a run had, or work in quiet. */
  private epoch = 0n;

  constructor(private readonly now: () => Date = () => new Date()) {
    super();
  }

  async find(infrastructureUid: string): Promise<HeldLock | undefined> {
    return Promise.resolve(this.held.get(infrastructureUid));
  }

  async list(limit: number): Promise<readonly HeldLock[]> {
    const held = [...this.held.values()].sort((a, b) => a.since.getTime() - b.since.getTime());
    return Promise.resolve(held.slice(0, limit));
  }

  async acquire(lock: LockByHand): Promise<void> {
    const held = this.held.get(lock.infrastructureUid);
    const now = this.now();
    const isSame = held?.isByHand && held.id === lock.id;
    if (held && !isSame) throw stateLocked(held);
    const since = held?.since ?? now;
    this.held.set(lock.infrastructureUid, { ...lock, isByHand: true, epoch: undefined, since, seenAt: now });
    return Promise.resolve();
  }

  async release(infrastructureUid: string, id?: string): Promise<boolean> {
    const held = this.held.get(infrastructureUid);
    if (!held?.isByHand || (id !== undefined && held.id !== id)) return Promise.resolve(false);
    return Promise.resolve(this.held.delete(infrastructureUid));
  }

  async countSilent(silentMs: number): Promise<number> {
    const before = this.now().getTime() - silentMs;
    const held = [...this.held.values()];
    return Promise.resolve(held.filter(({ isByHand, seenAt }) => isByHand && seenAt.getTime() < before).length);
  }

  async oldestMs(holder: 'run' | 'person'): Promise<number> {
    const held = [...this.held.values()].filter(({ isByHand }) => isByHand === (holder === 'person'));
    const ages = held.map(({ since }) => this.now().getTime() - since.getTime());
    return Promise.resolve(Math.max(0, ...ages));
  }

  async whileQuiet<T>(uid: string, quiet: Quiet, work: (epoch: bigint) => Promise<T>): Promise<T> {
    const held = this.held.get(uid);
    await requireQuiet(held, quiet);
    if (held?.isByHand) this.held.set(uid, { ...held, seenAt: this.now() });
    this.epoch += 1n;
    return work(this.epoch);
  }

  /** Takes the lock for a run, from an older run too. */
  holdForRun(run: Pick<HeldLock, 'infrastructureUid' | 'id' | 'holder' | 'operation' | 'epoch'>): void {
    const held = this.held.get(run.infrastructureUid);
    if (held?.isByHand) throw stateLocked(held);
    const since = this.now();
    this.epoch = run.epoch !== undefined && run.epoch > this.epoch ? run.epoch : this.epoch;
    this.held.set(run.infrastructureUid, { ...run, isByHand: false, info: '', since, seenAt: since });
  }

  /** Gives back what the run holds. */
  releaseRun(id: string): void {
    for (const [uid, held] of this.held) if (!held.isByHand && held.id === id) this.held.delete(uid);
  }

  forget(infrastructureUid: string): void {
    this.held.delete(infrastructureUid);
  }
}
