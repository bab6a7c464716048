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
    const redactor = new Redactor();
    secrets.flatMap(waysToSay).forEach((secret) => redactor.add(secret));
    const outcome = await this.outcomeOf(post, redactor, signal);
    return outcome.detail === undefined ? outcome : { ...outcome, detail: redactor.redactText(outcome.detail) };
  }

  private async outcomeOf({ headers, ...post }: Post, redactor: Redactor, signal: AbortSignal): Promise<Outcome> {
    try {
      const answer = await this.http.post({ ...post, headers: { ...headers, 'user-agent': this.version } }, signal);
      // Before it is cut: half a secret is not known for one.
      return outcomeOfAnswer({ ...answer, text: redactor.redactText(answer.text) }, this.now());
    } catch (error) {
      // Nobody knows whether it arrived: it is sent again.
      if (signal.aborted) throw error;
      return outcomeOfError(error);
    }
  }
}

/** A header's value, and its part behind a scheme such as Bearer; of Basic what that says, too (RFC 7617). */
function waysToSay(secret: string): readonly string[] {
  const [, scheme = '', credentials] = /^(\S+) +(\S.*)$/.exec(secret) ?? [];
  if (credentials === undefined) return [secret];
  if (scheme.toLowerCase() !== 'basic') return [secret, credentials];
  const pair = Buffer.from(credentials, 'base64').toString();
  return [secret, credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}
