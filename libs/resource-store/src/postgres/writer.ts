import { randomUUID } from 'node:crypto';

/**
 * Names this process in the log of changes, so that it is not told of its own. Under another name what it wrote before counts as
 * somebody else's: told twice, if it had heard of it, instead of never.
 */
export class Writer {
  private current = randomUUID();

  get name(): string {
    return this.current;
  }

  rename(): void {
    this.current = randomUUID();
  }
}
