import type { NotificationChannel } from '@crate/api';
import type { Outcome } from '../outbox.js';
import type { ChannelSecrets } from '../channel-secrets.js';
import { Deliverer, type Delivery, type Hindrance } from './deliverer.js';
import type { HttpSender } from './http-sender.js';
import { slackMessage } from './slack-message.js';

/** Incoming webhooks of Slack, and what takes the same. */
export class SlackDeliverer extends Deliverer {
  constructor(private readonly sender: HttpSender) {
    super();
  }

  override hindrance(_: NotificationChannel, { url }: ChannelSecrets): Hindrance | undefined {
    if (url !== undefined) return undefined;
    return { reason: 'UrlMissing', message: 'State spec.slack.url: none is stored' };
  }

  override deliver({ secrets, notice, signal }: Delivery): Promise<Outcome> {
    const { url = '' } = secrets;
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return this.sender.send({ url, headers, body: slackMessage(notice) }, [url, new URL(url).pathname], signal);
  }
}
