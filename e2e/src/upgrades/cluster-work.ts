import { expect } from '@jest/globals';
import { small, type CrateUser } from '../crate-user.js';

/** Of the cluster beside its workers: one of the control plane, and the bastion. */
const OTHER_INSTANCES = 2;

/** A cluster that is made, and from then on always has something done to it: a worker more, and one fewer, by turns. */
export class ClusterWork {
  private workers = 1;
  private stopping = false;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly user: CrateUser) {}

  start(): void {
    this.work = this.run();
    // Told by `stop`, which may come much later.
    this.work.catch(() => undefined);
  }

  /** Returns when all that was asked for is done. Rejects when anything of it was refused, or never came to be. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.work;
  }

  async expectNothingDoubled(): Promise<void> {
    const inventory = await this.user.platform.inventory();
    const instances = inventory.filter(({ type }) => type === 'aws_instance');
    expect(instances).toHaveLength(OTHER_INSTANCES + this.workers);
  }

  private async run(): Promise<void> {
    do {
      this.workers = this.workers === 1 ? 2 : 1;
      await this.user.applyDemo('demo', (spec) => this.describe(spec));
      await this.user.untilReady();
    } while (!this.stopping);
  }

  private describe(spec: Record<string, unknown>): void {
    small(spec);
    spec['nodePools'] = [{ name: 'workers', replicas: this.workers, machineType: 'm5.xlarge' }];
  }
}
