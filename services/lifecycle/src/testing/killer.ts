import type { ResourceApi } from '@crate/resource-client';

const WRITES: ReadonlySet<string | symbol> = new Set(['create', 'update', 'patch', 'remove', 'removeCollection']);

/** Lets a process die at one of its writes: from then on nothing it does gets through, until it is started again. */
export class Killer {
  private isDead = false;
  private writes = 0;

  /**
   * The process dies at write number `deadly`, counted from 1 over all its lives; the write is done when `afterwards`,
   * and its answer lost.
   */
  constructor(
    private readonly deadly: number,
    private readonly afterwards: boolean,
  ) {}

  /** True once the deadly write was reached. */
  get hasStruck(): boolean {
    return this.writes >= this.deadly;
  }

  restart(): void {
    this.isDead = false;
  }

  readonly wrap = (api: ResourceApi): ResourceApi =>
    new Proxy(api, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          const call = (): Promise<unknown> => Reflect.apply(value, target, args) as Promise<unknown>;
          if (this.isDead) throw new Error('killed');
          return WRITES.has(property) ? this.write(call) : call();
        };
      },
    });

  private async write(call: () => Promise<unknown>): Promise<unknown> {
    this.writes += 1;
    if (this.writes !== this.deadly) return call();
    if (this.afterwards) await call();
    this.isDead = true;
    throw new Error('killed');
  }
}
