import { Deliverer, type Delivery } from './deliverer.js';
import { structuredCloudEvent } from './cloud-event.js';
import type { Post } from './guarded-http.js';
import type { HttpSender } from './http-sender.js';
import { signatureHeaders } from './signature.js';
import type { Outcome } from '../outbox.js';

/** CloudEvents by POST. */
export class WebhookDeliverer extends Deliverer {
  constructor(
    private readonly sender: HttpSender,
    private readonly now: () => Date = () => new Date(),
  ) {
    super();
  }

  override hindrance(): undefined {
    return undefined;
  }

  override deliver(delivery: Delivery): Promise<Outcome> {
    const { headers, secret } = delivery.secrets;
    const kept = [...Object.values(headers ?? {}), ...(secret === undefined ? [] : [secret])];
    return this.sender.send(this.postOf(delivery), kept, delivery.signal);
  }

  private postOf({ channel, secrets, notice }: Delivery): Post {
    const { contentType, body } = structuredCloudEvent(notice);
    const { webhook } = channel.spec;
    const stated = (webhook?.headers ?? []).flatMap(({ name }) => {
      const value = secrets.headers?.[name.toLowerCase()];
      return value === undefined ? [] : [[name, value] as const];
    });
    const proof = secrets.secret === undefined ? {} : signatureHeaders(notice.id, body, secrets.secret, this.now());
    const headers = { ...Object.fromEntries(stated), 'content-type': contentType, ...proof };
    return { url: webhook?.url ?? '', headers, body };
  }
}
