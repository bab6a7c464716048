/** Lets one holder at a time have a key; holders of different keys do not wait for each other. */
export class KeyedLock {
  private readonly held = new Map<string, Promise<void>>();

  /** Waits until all keys are free and takes them together, so that two holders never wait for each other's. */
  async acquire(keys: readonly string[]): Promise<() => void> {
    for (;;) {
      const busy = keys.map((key) => this.held.get(key)).filter((holder) => holder !== undefined);
      if (busy.length === 0) break;
      await Promise.all(busy);
    }
    let open: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (open = resolve));
    for (const key of keys) this.held.set(key, released);
    return () => {
      for (const key of keys) this.held.delete(key);
      open();
    };
  }
}
