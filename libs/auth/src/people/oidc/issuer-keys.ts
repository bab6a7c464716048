import type { Logger } from '@crate/telemetry';
import {
  createLocalJWKSet,
  errors,
  type CryptoKey,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from 'jose';

/** Keys are looked at again this often, so that one that was taken away is refused. */
const REFRESH_MS = 5 * 60_000;
/** Tokens with unknown key ids make the issuer be asked at most this often, whoever sends them. */
const COOLDOWN_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** How long keys are good for while the issuer does not answer. */
const KEPT_MS = 24 * 3_600_000;

export interface IssuerKeysOptions {
  /** For the log. */
  readonly name: string;
  /** Asks the issuer; rejects when it does not answer well. */
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  readonly logger: Logger;
  readonly now?: () => number;
}

interface KeySet {
  readonly find: LocalJWKSet;
  readonly keys: ReadonlySet<string>;
  fetchedAt: number;
}

/** The public keys of one issuer, kept fresh. Nobody waits for an issuer that is down: it is asked by a timer, and known keys serve meanwhile. */
export class IssuerKeys {
  private current: KeySet | undefined;
  private refreshing: Promise<void> | undefined;
  private triedAt = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private removals = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private readonly now: () => number;

  constructor(private readonly options: IssuerKeysOptions) {
    this.now = options.now ?? Date.now;
  }

  /** Moves when keys were taken away or are too old to be trusted. */
  get version(): number {
    this.dropOld();
    return this.removals;
  }

  /** Begins to ask, without waiting for an answer. */
  start(): void {
    void this.refresh();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** The key that a token names. An unknown one has the issuer asked again, unless that was done just now. */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    this.dropOld();
    const known = this.current;
    if (known) {
      try {
        return await known.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
    }
    await this.refreshUnlessJustTried();
    if (!this.current) throw new Error('The keys of the issuer are not known');
    return this.current.find(header, token);
  }

  private async refreshUnlessJustTried(): Promise<void> {
    if (!this.refreshing && this.now() - this.triedAt < COOLDOWN_MS) return;
    await this.refresh();
  }

  /** One request at a time, however many wait for it. Never rejects. */
  private async refresh(): Promise<void> {
    this.refreshing ??= this.ask().finally(() => {
      this.refreshing = undefined;
      this.scheduleNext();
    });
    await this.refreshing;
  }

  private async ask(): Promise<void> {
    this.triedAt = this.now();
    const { name, fetchKeys, logger } = this.options;
    try {
      this.replace(await fetchKeys());
      if (this.failures > 0) logger.info('Reading the keys of the issuer again', { name });
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      logger.warn('Failing to read the keys of the issuer', { name, error, hasKeys: this.current !== undefined });
    }
  }

  private replace(jwks: JSONWebKeySet): void {
    const keys = new Set(jwks.keys.map((key) => JSON.stringify(key)));
    const gone = [...(this.current?.keys ?? [])].some((key) => !keys.has(key));
    if (gone) this.removals += 1;
    // The same set keeps its imported keys.
    const same = this.current && !gone && keys.size === this.current.keys.size;
    if (same && this.current) this.current.fetchedAt = this.now();
    else this.current = { find: createLocalJWKSet(jwks), keys, fetchedAt: this.now() };
  }

  private dropOld(): void {
    if (!this.current || this.now() - this.current.fetchedAt < KEPT_MS) return;
    this.current = undefined;
    this.removals += 1;
  }

  private scheduleNext(): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (this.failures - 1), LONGEST_RETRY_MS);
    const pauseMs = (this.failures > 0 ? retryMs : REFRESH_MS) * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => void this.refresh(), pauseMs).unref();
  }
}
