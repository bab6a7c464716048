import type { Change } from '../change/change.js';
import { cloneJson, freezeJson } from '../object/json.js';
import type { Revision } from '../revision.js';

/** More are not kept: the log has them. */
const LARGEST = 1_000;

/** What this process has committed and its tail has not told yet, so that the tail need not read back from the log what is known here. */
export class OwnChanges {
  private waiting: Change[] = [];

  /** The newest; undefined when none waits. */
  get last(): Revision | undefined {
    return this.waiting.at(-1)?.revision;
  }

  /** The changes of one commit; commits come in their order. The objects may be changed by others afterwards. */
  add(changes: readonly Change[]): void {
    if (this.waiting.length + changes.length > LARGEST) return this.clear();
    for (const change of changes) this.waiting.push({ ...change, object: freezeJson(cloneJson(change.object)) });
  }

  /**
   * All that follow `head` without a gap, which are then no longer waiting. None when somebody else's changes come before them, or when
   * the log is not what it was (a database that lost commits gives out revisions again): only the log tells.
   */
  takeAfter(head: Revision): readonly Change[] {
    const end = this.waiting.findIndex(({ revision }, index) => revision !== head + 1 + index);
    return this.waiting.splice(0, end < 0 ? this.waiting.length : end);
  }

  /** The log was read up to there. */
  dropTo(revision: Revision): void {
    this.waiting = this.waiting.filter((change) => change.revision > revision);
  }

  clear(): void {
    this.waiting = [];
  }
}
