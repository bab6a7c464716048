import type { StoreGuard } from '@crate/resource-store';

/** One attempt of a write, the same for all hooks that judge it; what was read for it must not be used for another. */
export class WriteAttempt {
  private readonly remembered: StoreGuard[] = [];

  /** `mayRemember`: hooks may judge by what they remember instead of by what is stored, if they rely on it. */
  constructor(readonly mayRemember: boolean = false) {}

  /**
   * What the attempt is judged by is remembered and may be stored otherwise by now: the write is stored only while it is not, and
   * judged anew, by what is stored, when it is refused and that is so.
   */
  relyOn(guard: StoreGuard): void {
    this.remembered.push(guard);
  }

  /** Everything that was relied on. */
  get guards(): readonly StoreGuard[] {
    return this.remembered;
  }
}
