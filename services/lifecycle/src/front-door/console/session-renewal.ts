import { setTimeout as delay } from 'node:timers/promises';
import { BoundedCache } from '@crate/auth';
import { hasCode, unauthenticated, unavailable } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import { renewalDueAt, type ConsoleSession, type SessionRenewalInfo } from './console-session.js';
import type { Handovers } from './handovers.repository.js';
import type { IssuerClient } from './issuer-client.js';
import type { SealedText } from './sealed-text.js';

/** As long as an issuer may take to answer, and more. */
const CLAIM_MS = 30_000;
const LOOK_EVERY_MS = 100;
/** Requests that were under way with the old cookie find the new tokens so long. */
const KEPT_MS = 5 * 60_000;
/** An issuer that is down, or that refused, is not asked by every request. */
const PAUSE_MS = 5_000;

export interface SessionRenewalOptions {
  readonly issuers: ReadonlyMap<string, IssuerClient>;
  readonly handovers: Handovers;
  readonly sealed: SealedText;
  readonly logger: Logger;
  readonly now?: () => number;
}

/**
 * Renews tokens shortly before they end. Issuers take a refresh token once, and browsers send many requests at a time, to several
 * replicas: the first asks the issuer, all others get what it was given.
 */
export class SessionRenewal {
  private readonly underWay = new Map<string, Promise<ConsoleSession>>();
  /** By issuer that does not answer, or by what it refused. */
  private readonly failures = new BoundedCache<{ readonly error: unknown; readonly until: number }>(1_000);
  private readonly now: () => number;

  constructor(private readonly options: SessionRenewalOptions) {
    this.now = options.now ?? Date.now;
  }

  /**
   * The session with a token that is good now: itself, unless it had to be renewed. Throws Unauthenticated when the person has to
   * sign in again, Unavailable when the token has ended and the issuer does not answer.
   */
  async current(session: ConsoleSession): Promise<ConsoleSession> {
    const { renewal, tokenExpiresAt = Infinity } = session;
    if (!renewal || this.now() < renewal.dueAt) return session;
    try {
      return await this.together(session, renewal);
    } catch (error) {
      // The last of the old token is better than nothing.
      if (this.now() < tokenExpiresAt) return session;
      throw error;
    }
  }

  private together(session: ConsoleSession, renewal: SessionRenewalInfo): Promise<ConsoleSession> {
    const key = keyOf(renewal);
    const known = this.underWay.get(key);
    if (known) return known;
    const renewing = this.renew(session, renewal).finally(() => this.underWay.delete(key));
    this.underWay.set(key, renewing);
    return renewing;
  }

  private async renew(session: ConsoleSession, renewal: SessionRenewalInfo): Promise<ConsoleSession> {
    for (const name of [renewal.issuer, keyOf(renewal)]) {
      const failure = this.failures.get(name);
      if (failure && this.now() < failure.until) throw failure.error;
    }
    for (let waited = 0; waited < CLAIM_MS; waited += LOOK_EVERY_MS) {
      if (await this.options.handovers.claim(keyOf(renewal), CLAIM_MS)) return this.tryOnce(session, renewal);
      const renewed = await this.byAnother(renewal);
      if (renewed) return renewed;
      await delay(LOOK_EVERY_MS);
    }
    throw unavailable('Whoever renews the session does not come to an end');
  }

  private async tryOnce(session: ConsoleSession, renewal: SessionRenewalInfo): Promise<ConsoleSession> {
    const { handovers, logger } = this.options;
    const { issuer } = renewal;
    try {
      return await this.ask(session, renewal);
    } catch (error) {
      await handovers.release(keyOf(renewal));
      const name = hasCode(error, 'Unavailable') ? issuer : keyOf(renewal);
      this.failures.set(name, { error, until: this.now() + PAUSE_MS });
      logger.warn('Failing to renew a session of the console', { error, issuer });
      throw error;
    }
  }

  private async ask(session: ConsoleSession, renewal: SessionRenewalInfo): Promise<ConsoleSession> {
    const { issuer, refreshToken } = renewal;
    const { issuers, handovers, sealed } = this.options;
    const client = issuers.get(issuer);
    if (!client) throw unauthenticated(`The issuer ${issuer} is gone`);
    const { idToken, expiresAt, refreshToken: next = refreshToken } = await client.refresh(refreshToken);
    const renewed: ConsoleSession = {
      ...session,
      token: idToken,
      tokenExpiresAt: expiresAt,
      renewal: { issuer, refreshToken: next, dueAt: renewalDueAt(expiresAt, this.now()) },
    };
    await handovers.put(keyOf(renewal), await sealed.seal('handover', renewed), KEPT_MS);
    return renewed;
  }

  /** What somebody else was given, at another replica or a moment ago. */
  private async byAnother(renewal: SessionRenewalInfo): Promise<ConsoleSession | undefined> {
    const { handovers, sealed } = this.options;
    const text = await handovers.find(keyOf(renewal));
    return text === undefined ? undefined : ((await sealed.open('handover', text)) as ConsoleSession | undefined);
  }
}

/** Issuers may give the same refresh token again and again; each token that it replaces is renewed once. */
function keyOf({ refreshToken, dueAt }: SessionRenewalInfo): string {
  return `${dueAt} ${refreshToken}`;
}
