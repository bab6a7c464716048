/** Throws, rejects or takes too long when the thing it looks at is not usable. */
export type HealthCheck = (signal: AbortSignal) => unknown;

export interface HealthCheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly tookMs: number;
  /** Why not, in words safe for an unauthenticated reader. */
  readonly message?: string;
}

/** What `/healthz` and `/readyz` answer; HTTP 200 when `ok`, else 503. */
export interface HealthReport {
  readonly ok: boolean;
  readonly checks: readonly HealthCheckResult[];
}

interface Registration {
  readonly check: HealthCheck;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 2_000;

/** Named checks of one process. Liveness asks "does it answer at all", readiness asks every check. */
export class HealthRegistry {
  private readonly registrations = new Map<string, Registration>();
  private draining = false;

  /** Adds a readiness check, or replaces the one of that name; the returned function takes it away. */
  register(name: string, check: HealthCheck, timeoutMs: number = DEFAULT_TIMEOUT_MS): () => void {
    const registration = { check, timeoutMs };
    this.registrations.set(name, registration);
    return () => {
      if (this.registrations.get(name) === registration) this.registrations.delete(name);
    };
  }

  /** From now on not ready: the process is stopping and wants no new work. */
  drain(): void {
    this.draining = true;
  }

  /**
   * Data for `/healthz`. It looks at nothing outside the process: restarting it does not mend a database that is away.
   */
  live(): HealthReport {
    return { ok: true, checks: [] };
  }

  /** Data for `/readyz`: all checks at once, each within its timeout. Never throws. */
  async ready(): Promise<HealthReport> {
    const running = [...this.registrations].map(([name, registration]) => run(name, registration));
    const checks = [...(this.draining ? [stopping()] : []), ...(await Promise.all(running))];
    return { ok: checks.every((check) => check.ok), checks };
  }
}

function stopping(): HealthCheckResult {
  return { name: 'shutdown', ok: false, tookMs: 0, message: 'Stopping' };
}

async function run(name: string, { check, timeoutMs }: Registration): Promise<HealthCheckResult> {
  const started = performance.now();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  const expired = new Promise<string>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve(`No answer within ${timeoutMs} ms`));
  });
  const checked = Promise.resolve()
    .then(() => check(abort.signal))
    // The reason may name hosts or users, and anyone may read this answer.
    .then(
      () => undefined,
      () => 'Check failed',
    );
  const message = await Promise.race([checked, expired]);
  clearTimeout(timer);
  const tookMs = Math.round(performance.now() - started);
  return { name, ok: message === undefined, tookMs, ...(message === undefined ? {} : { message }) };
}
