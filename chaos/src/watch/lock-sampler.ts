import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkingProcess } from '../platform/working-processes.js';
import type { LockSighting } from '../world/world.js';

const LOOK_EVERY_MS = 100;
/**
 * A host that stood still for so long that its work was taken over goes on for the grace of a run (10 s, `CRATE_TERRAFORM_GRACE_MS`), and half
 * of it again to find that out: what is in flight is finished. Counted in looks, of which a busy machine has fewer.
 */
export const LOOKS_OF_GRACE = 150;

/** One group at work in one workspace, from the first look to the last in a row that saw it. */
export interface WorkSpan {
  readonly workspace: string;
  readonly pgid: number;
  readonly from: number;
  readonly to: number;
}

/** Looks again and again which groups are at work. */
export class LockSampler {
  private readonly spans: WorkSpan[] = [];
  private readonly stopping = new AbortController();
  private open: readonly WorkSpan[] = [];
  private looks = 0;
  private running: Promise<void> | undefined;

  constructor(private readonly list: () => readonly WorkingProcess[]) {}

  start(): void {
    this.running = this.look();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Two of one owner at once; `owners` has that of each run that works in a folder of its own. */
  sightings(owners: ReadonlyMap<string, string>): readonly LockSighting[] {
    return sharedBy([...this.spans, ...this.open], owners);
  }

  private async look(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const now = spansOf(this.list(), this.open, (this.looks += 1));
      this.spans.push(...this.open.filter((span) => !now.some((other) => isSame(span, other))));
      this.open = now;
      await delay(LOOK_EVERY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }
}

/** Who is at work in one look: those that were in the look before go on. */
export function spansOf(
  processes: readonly WorkingProcess[],
  before: readonly WorkSpan[],
  look: number,
): readonly WorkSpan[] {
  const spans = new Map<string, WorkSpan>();
  for (const { workspace, pgid, isStopped } of processes) {
    if (isStopped) continue;
    const span = { workspace, pgid, from: look, to: look };
    const { from } = before.find((each) => isSame(each, span)) ?? span;
    spans.set(`${pgid} ${workspace}`, { ...span, from });
  }
  return [...spans.values()];
}

/** Terraform has one folder for an owner on each host, by its uid; rke one for each run, by the run's id. */
export function sharedBy(spans: readonly WorkSpan[], owners: ReadonlyMap<string, string>): readonly LockSighting[] {
  const ownerOf = ({ workspace }: WorkSpan): string => owners.get(basename(workspace)) ?? basename(workspace);
  return spans.flatMap((one, index) =>
    spans.slice(index + 1).flatMap((other): LockSighting[] => {
      const owner = ownerOf(one);
      if (one.pgid === other.pgid || ownerOf(other) !== owner) return [];
      const looks = Math.min(one.to, other.to) - Math.max(one.from, other.from) + 1;
      const isOnOneHost = dirname(one.workspace) === dirname(other.workspace);
      if (looks <= (isOnOneHost ? 0 : LOOKS_OF_GRACE)) return [];
      return [{ owner, workspaces: [one.workspace, other.workspace], groups: [one.pgid, other.pgid] }];
    }),
  );
}

function isSame(one: WorkSpan, other: WorkSpan): boolean {
  return one.pgid === other.pgid && one.workspace === other.workspace;
}
