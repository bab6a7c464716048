import { hash } from 'node:crypto';
import type { FleetPage } from '@crate/api';
import type { Visible } from './fleet-access.js';
import type { FleetIndex } from './fleet-index.js';
import { fleetPage } from './fleet-page.js';
import type { FleetQuery } from './fleet-query.js';

/** Share of the time of this process that pages of watches may take. */
const SHARE = 0.2;
/** How soon a watch may have the next page. */
const SOONEST_MS = 500;
/** Pages kept for the next who asks the same before anything changes. */
const MOST_KEPT = 100;

/** Which page it is: all that a watch remembers of what it has sent. */
export interface PageMark {
  /** Digest of what the reader sees of it; without the revision, which moves also with what is not on the page. */
  readonly digest: string;
  /** Version of the index that it was made from. */
  readonly version: number;
}

/** A page as a line of a watch. */
export interface PageLine extends PageMark {
  readonly line: Buffer;
}

/**
 * Pages of watches. Watches that ask the same share one, and all together take a part of the process's time only: the more there is
 * to do, the longer each of them rests.
 */
export class FleetPages {
  private readonly kept = new Map<string, PageLine>();
  /** Milliseconds taken that the share has not made up for yet. */
  private debtMs = 0;
  private settledAt: number;

  constructor(private readonly index: FleetIndex) {
    this.settledAt = index.uptime();
  }

  /** How long a watch has to rest after a page. */
  get restMs(): number {
    return Math.max(SOONEST_MS, this.settle() / SHARE);
  }

  /** The page as it is now. Throws Unavailable while the index cannot answer. */
  lineOf(query: FleetQuery, visible: Visible): PageLine {
    this.index.requireKnown();
    const { version } = this.index;
    const key = `${visible.key} ${query.key}`;
    const known = this.kept.get(key);
    if (known?.version === version) return known;
    const begun = this.index.uptime();
    const made = { ...lineOf(fleetPage(this.index, query, visible)), version };
    this.debtMs = this.settle() + this.index.uptime() - begun;
    this.keep(key, made);
    return made;
  }

  /** What was made before the last change is of no use to anybody. */
  private keep(key: string, made: PageLine): void {
    const [oldest] = this.kept.values();
    if (oldest?.version !== made.version || this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(key, made);
  }

  private settle(): number {
    const now = this.index.uptime();
    this.debtMs = Math.max(0, this.debtMs - (now - this.settledAt) * SHARE);
    this.settledAt = now;
    return this.debtMs;
  }
}

function lineOf({ kind, revision, ...rest }: FleetPage): Omit<PageLine, 'version'> {
  const content = JSON.stringify(rest);
  const head = JSON.stringify({ kind, revision }).slice(0, -1);
  const line = Buffer.from(`{"type":"PAGE","page":${head},${content.slice(1)}}\n`);
  return { digest: hash('sha1', content), line };
}
