import type { ChangeNotice, ResourceStore } from '@crate/resource-store';

type ChangeLog = Pick<ResourceStore, 'changesSince'>;

/** A look that has not begun. */
interface NextLook {
  from: bigint;
  readonly limit: number;
  readonly changes: Promise<readonly ChangeNotice[]>;
}

/**
 * The change log for many who look at once: whoever asks while a look is under way shares the next one. What is answered was always
 * looked for after it was asked for, so it holds whatever was stored before; it may begin further back than asked for.
 */
export class SharedLooks implements ChangeLog {
  private underWay: Promise<unknown> | undefined;
  private next: NextLook | undefined;

  constructor(private readonly log: ChangeLog) {}

  changesSince(fromRevision: string, limit: number): Promise<readonly ChangeNotice[]> {
    const { next, underWay } = this;
    if (next?.limit === limit) {
      const from = BigInt(fromRevision);
      if (from < next.from) next.from = from;
      return next.changes;
    }
    if (next || !underWay) return this.look(fromRevision, limit);
    const look: NextLook = {
      from: BigInt(fromRevision),
      limit,
      changes: underWay.then(() => {
        this.next = undefined;
        return this.look(look.from.toString(), limit);
      }),
    };
    this.next = look;
    return look.changes;
  }

  private async look(fromRevision: string, limit: number): Promise<readonly ChangeNotice[]> {
    const changes = this.log.changesSince(fromRevision, limit);
    const underWay = changes.then(
      () => undefined,
      () => undefined,
    );
    this.underWay = underWay;
    void underWay.then(() => {
      if (this.underWay === underWay) this.underWay = undefined;
    });
    return changes;
  }
}
