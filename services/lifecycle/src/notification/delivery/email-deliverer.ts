import type { NotificationChannel } from '@crate/api';
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import type { SmtpConfig } from '../notification-config.js';
import type { Outcome } from '../outbox.js';
import { Deliverer, type Delivery } from './deliverer.js';
import { emailMessage } from './email-message.js';

/** E-mail by the mail server of the platform. */
export class EmailDeliverer extends Deliverer {
  private readonly transport: Transporter | undefined;
  private readonly sender: string;

  constructor(
    private readonly config: SmtpConfig,
    timeoutMs: number,
  ) {
    super();
    this.transport = config.url === undefined ? undefined : createTransport(withTimeouts(config.url, timeoutMs));
    this.sender = config.from ?? `crate@${config.url === undefined ? 'localhost' : hostOf(config.url)}`;
  }

  override hindrance({ spec: { email } }: NotificationChannel): ReturnType<Deliverer['hindrance']> {
    if (!this.transport) {
      const message = 'The platform has no mail server: its operators set CRATE_SMTP_URL_FILE';
      return { reason: 'SmtpNotConfigured', message };
    }
    const { from, to = [] } = email ?? {};
    if (from !== undefined && domainOf(from) !== domainOf(this.sender)) {
      return { reason: 'SenderNotAllowed', message: `spec.email.from must be an address of ${domainOf(this.sender)}` };
    }
    const { allowedDomains } = this.config;
    const bad = to.find((address) => allowedDomains.length > 0 && !allowedDomains.includes(domainOf(address)));
    if (bad === undefined) return undefined;
    return {
      reason: 'RecipientNotAllowed',
      message: `spec.email.to: e-mail may go to ${allowedDomains.join(', ')} only`,
    };
  }

  override async deliver({ channel, notice, signal }: Delivery): Promise<Outcome> {
    const hindrance = this.hindrance(channel);
    if (hindrance || !this.transport) return { kind: 'Failed', detail: hindrance?.message ?? '' };
    const { to = [], from = this.sender } = channel.spec.email ?? {};
    try {
      const message = emailMessage(notice, domainOf(from));
      const { rejected = [], response } = await this.transport.sendMail({ ...message, from, to, signal });
      const refused = rejected.length === 0 ? '' : `; not taken for ${rejected.join(', ')}`;
      return { kind: 'Delivered', detail: `The mail server said ${response}${refused}` };
    } catch (error) {
      if (signal.aborted) throw error;
      return outcomeOf(error as NodemailerError);
    }
  }
}

/** 5xx of SMTP are final, as far as the message is to blame and not who we are. */
function outcomeOf({ responseCode, message, code }: NodemailerError): Outcome {
  const isFinal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH' && code !== 'ECONNECTION';
  return { kind: isFinal ? 'Failed' : 'Retry', detail: `The mail server: ${message}`.slice(0, 300) };
}

function withTimeouts(url: string, timeoutMs: number): string {
  const timed = new URL(url);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout']) {
    if (!timed.searchParams.has(name)) timed.searchParams.set(name, String(timeoutMs));
  }
  return timed.href;
}

function hostOf(url: string): string {
  const host = new URL(url).hostname;
  // An address literal is no domain that a sender may have.
  return /^[\d.]+$|^\[/.test(host) ? 'localhost' : host;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
