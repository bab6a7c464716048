import { OPERATIONS, type KillPoint, type Operation } from './kill-point.js';
import { BEFORE, type Stage } from './stages.js';

/** Points that are still to be run, given out so that operations lead to each other and all of them come forward alike. */
export class PointPool {
  private readonly queues: ReadonlyMap<Operation, KillPoint[]>;
  private readonly totals: ReadonlyMap<Operation, number>;

  constructor(points: readonly KillPoint[]) {
    this.queues = new Map(OPERATIONS.map((one) => [one, points.filter(({ operation }) => operation === one)]));
    this.totals = new Map([...this.queues].map(([operation, { length }]) => [operation, length]));
  }

  get size(): number {
    return [...this.queues.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** The next point for a cluster that has come so far: one that can begin at once, if there is any left. */
  take(stage: Stage): KillPoint | undefined {
    const left = OPERATIONS.filter((operation) => this.left(operation) > 0);
    const atOnce = left.filter((operation) => BEFORE[operation].includes(stage));
    const candidates = atOnce.length > 0 ? atOnce : left;
    const [furthestBehind] = [...candidates].sort((one, other) => this.share(other) - this.share(one));
    return furthestBehind && this.queues.get(furthestBehind)?.shift();
  }

  private left(operation: Operation): number {
    return this.queues.get(operation)?.length ?? 0;
  }

  /** How much of an operation is still to be done. */
  private share(operation: Operation): number {
    return this.left(operation) / (this.totals.get(operation) ?? 1);
  }
}
