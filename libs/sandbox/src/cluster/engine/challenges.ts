import { randomBytes } from 'node:crypto';

const GOOD_FOR_MS = 60_000;

/** Texts that prove, once signed, that a key is at hand now. Each is good for one run. */
export class Challenges {
  private readonly open = new Map<string, number>();

  issue(): string {
    const now = performance.now();
    for (const [challenge, until] of this.open) if (until < now) this.open.delete(challenge);
    const challenge = randomBytes(32).toString('base64url');
    this.open.set(challenge, now + GOOD_FOR_MS);
    return challenge;
  }

  /** False when it was never given out, was used before, or is too old. */
  redeem(challenge: string): boolean {
    const until = this.open.get(challenge);
    this.open.delete(challenge);
    return until !== undefined && until >= performance.now();
  }
}
