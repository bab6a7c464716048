const RealDate = Date;

/** Puts the clock of this process ahead (or, below zero, back) until the function that is given back is called. */
export function shiftClock(byMs: number): () => void {
  globalThis.Date = class extends RealDate {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [RealDate.now() + byMs] : given) as [number]));
    }
    static override now(): number {
      return RealDate.now() + byMs;
    }
  } as DateConstructor;
  return () => {
    globalThis.Date = RealDate;
  };
}
