import { Redactor } from '@crate/telemetry';
import type { Outcome } from '../outbox.js';
import type { GuardedHttp, Post } from './guarded-http.js';
import { outcomeOfAnswer, outcomeOfError } from './http-outcome.js';

/** Posts a message and says what came of it. */
export class HttpSender {
  constructor(
    private readonly http: GuardedHttp,
    private readonly version: string,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** `secrets` do not come back in what the receiver says. Rejects only when the signal ended it. */
  async send(post: Post, secrets: readonly string[], signal: AbortSignal): Promise<Outcome> {
    const outcome = await this.outcomeOf(post, signal);
    if (outcome.detail === undefined) return outcome;
    const redactor = new Redactor();
    secrets.forEach((secret) => redactor.add(secret));
    return { ...outcome, detail: redactor.redactText(outcome.detail) };
  }

  private async outcomeOf({ headers, ...post }: Post, signal: AbortSignal): Promise<Outcome> {
    try {
      const answer = await this.http.post({ ...post, headers: { ...headers, 'user-agent': this.version } }, signal);
      return outcomeOfAnswer(answer, this.now());
    } catch (error) {
      // Nobody knows whether it arrived: it is sent again.
      if (signal.aborted) throw error;
      return outcomeOfError(error);
    }
  }
}
