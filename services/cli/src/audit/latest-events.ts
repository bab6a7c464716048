import type { AuditEvent } from '@crate/api';

/** The newest events that were shown: a list that begins at their time has them again. */
export class LatestEvents {
  private readonly names = new Set<string>();
  private newest: string | undefined;

  /** Of the newest; undefined before the first. */
  get time(): string | undefined {
    return this.newest;
  }

  add({ time, metadata }: AuditEvent): void {
    // Those of several services may come somewhat out of order.
    if (this.newest !== undefined && time < this.newest) return;
    if (time !== this.newest) this.names.clear();
    this.newest = time;
    this.names.add(metadata.name);
  }

  /** Adds it; false for one that was shown. */
  isNew(event: AuditEvent): boolean {
    if (event.time === this.newest && this.names.has(event.metadata.name)) return false;
    this.add(event);
    return true;
  }
}
