import type { ChangeListener, ChangeNotice } from '../resource-store.js';

/** Those who asked to hear of changes. */
export class ChangeListeners {
  private readonly all = new Set<ChangeListener>();

  get isEmpty(): boolean {
    return this.all.size === 0;
  }

  /** Returns a function that stops it. */
  add(listener: ChangeListener): () => void {
    this.all.add(listener);
    return () => void this.all.delete(listener);
  }

  tell(notices: readonly ChangeNotice[], origin: 'local' | 'remote'): void {
    if (notices.length === 0) return;
    for (const listener of [...this.all]) listener(notices, origin);
  }
}
