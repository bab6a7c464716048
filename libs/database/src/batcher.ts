import { hasCode } from '@crate/errors';

export interface BatchOptions<Item, Answer> {
  /**
   * Does what many ask for at once, and answers each in its place. An answer may be a promise: it is handed on, and no later batch waits
   * for it. What it throws has been done for none of them, but for `Unavailable` and `Timeout`, after which nobody knows.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly (Answer | Promise<Answer>)[]>;
  /** Items of one batch: 64 by default. */
  readonly largest?: number;
  /** Batches under way at once: 1 by default, so that those that come meanwhile go together. */
  readonly atATime?: number;
  /** Bounds a batch by what its items weigh as well. One that weighs more than `most` goes alone. */
  readonly weight?: { readonly of: (item: Item) => number; readonly most: number };
  /** How long the first waits for others. Absent: until everything that this turn of the event loop brings about has been asked for. */
  readonly gatherMs?: (first: Item) => number;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/** Does in one statement or transaction what many ask for at the same time: each costs a round trip, and mostly a sync of the disk. */
export class Batcher<Item, Answer> {
  private readonly queue: Waiting<Item, Answer>[] = [];
  private underWay = 0;

  constructor(private readonly options: BatchOptions<Item, Answer>) {}

  /** Begins after it was asked for. Throws what `run` throws, for this item alone where it can be told. */
  async ask(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      if (this.queue.length === 1) this.gather(item);
    });
  }

  private gather(first: Item): void {
    const { gatherMs } = this.options;
    if (gatherMs) setTimeout(() => this.pump(), gatherMs(first));
    else process.nextTick(() => this.pump());
  }

  private pump(): void {
    while (this.underWay < (this.options.atATime ?? 1) && this.queue.length > 0) {
      this.underWay += 1;
      void this.run(this.take()).finally(() => {
        this.underWay -= 1;
        this.pump();
      });
    }
  }

  private take(): readonly Waiting<Item, Answer>[] {
    const { largest = 64, weight } = this.options;
    let weighs = 0;
    const end = this.queue.findIndex(({ item }, index) => {
      weighs += weight?.of(item) ?? 0;
      return index === largest || (index > 0 && weight !== undefined && weighs > weight.most);
    });
    return this.queue.splice(0, end < 0 ? this.queue.length : end);
  }

  private async run(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer | Promise<Answer>));
    } catch (error) {
      await this.fail(batch, error);
    }
  }

  /** One bad item must not fail its neighbours. Without an answer all fail: trying again could do a thing twice. */
  private async fail(batch: readonly Waiting<Item, Answer>[], error: unknown): Promise<void> {
    const isHopeless = hasCode(error, 'Unavailable', 'Timeout') || batch.length === 1;
    if (isHopeless) return batch.forEach(({ reject }) => reject(error));
    for (const waiting of batch) await this.run([waiting]);
  }
}
