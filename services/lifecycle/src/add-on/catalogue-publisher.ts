import type { AddOn } from '@crate/api';
import type { AddOnDraft } from '@crate/kubernetes';
import type { TypedClient } from '@crate/resource-client';
import { releaseOf, type PublicationTurns } from '@crate/service-host';
import type { Logger } from '@crate/telemetry';
import { publishCatalogue } from './add-on.catalogue.js';

const LOOK_MS = 60_000;
/** Longer than an upgrade stands on its last step (`strategy.soakSeconds`), and than a replica takes to come back. */
const PATIENCE_MS = 5 * LOOK_MS;

export interface CataloguePublisherParts {
  readonly addOns: TypedClient<AddOn>;
  readonly turns: PublicationTurns;
  readonly logger: Logger;
  /** For tests. */
  readonly now?: () => number;
}

/**
 * Keeps the catalogue as one release has it: the one that has it now, until none of its replicas has looked for some minutes. A canary changes no
 * cluster, and neither does whoever restarts while releases run side by side.
 */
export class CataloguePublisher {
  private readonly stopping = new AbortController();
  private readonly now: () => number;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  /** When this replica last saw that the catalogue is as it ships it. */
  private seenAt: number | undefined;

  constructor(private readonly parts: CataloguePublisherParts) {
    this.now = parts.now ?? Date.now;
  }

  /** Publishes what ships, if it is this release's turn, and goes on looking whether it is. */
  async start(packages: readonly AddOnDraft[]): Promise<void> {
    const release = releaseOf(packages);
    await this.look(packages, release);
    this.timer = setInterval(() => {
      this.looking = this.looking
        .then(() => this.look(packages, release))
        .catch((error: unknown) => this.parts.logger.error('The add-ons could not be published', { error }));
    }, LOOK_MS).unref();
  }

  /** Ends what is under way; idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.looking;
  }

  /** What people change in it meanwhile stays until the next start. */
  async look(packages: readonly AddOnDraft[], release = releaseOf(packages)): Promise<void> {
    const { turns } = this.parts;
    const startedAt = this.now();
    const isSeen = this.seenAt !== undefined && startedAt - this.seenAt < PATIENCE_MS;
    const claim = { release, isStart: false, patienceMs: PATIENCE_MS, signal: this.stopping.signal };
    const counts = await turns.take(claim, async (isOurs) => {
      if (isOurs && !isSeen) await this.publish(packages);
      return isOurs;
    });
    this.seenAt = counts ? startedAt : undefined;
  }

  private async publish(packages: readonly AddOnDraft[]): Promise<void> {
    const { logger, addOns } = this.parts;
    const { removed, kept } = await publishCatalogue(addOns, packages);
    if (removed.length > 0) logger.info('Add-ons that do not ship any more are taken out', { removed });
    if (kept.length > 0) logger.warn('Add-ons that do not ship any more stay, as clusters have them', { left: kept });
  }
}
