import { PublicationTurns, type PublicationClaim } from './publication-turns.js';

/** For tests: of replicas in one process. */
export class InMemoryPublicationTurns extends PublicationTurns {
  private stored: { readonly release: string; readonly renewedAtMs: number } | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  async take<T>(claim: PublicationClaim, publish: (counts: boolean) => Promise<T>): Promise<T> {
    const turn = this.last.then(() => this.inTurn(claim, publish));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private async inTurn<T>(
    { release, isStart, patienceMs }: PublicationClaim,
    publish: (counts: boolean) => Promise<T>,
  ): Promise<T> {
    const renewedAtMs = this.now();
    const { stored } = this;
    const counts = !stored || stored.release === release || isStart || stored.renewedAtMs < renewedAtMs - patienceMs;
    const result = await publish(counts);
    if (counts) this.stored = { release, renewedAtMs };
    return result;
  }
}
