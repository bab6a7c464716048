import { rootCertificates } from 'node:tls';
import type { NotificationChannel } from '@crate/api';
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import type { SmtpConfig } from '../notification-config.js';
import type { Outcome } from '../outbox.js';
import { Deliverer, type Delivery } from './deliverer.js';
import { emailMessage } from './email-message.js';
import { outcomeOfError, outcomeOfSent } from './email-outcome.js';

export interface EmailOptions {
  readonly timeoutMs: number;
  /** PEM; trusted besides those that everybody trusts. */
  readonly ca?: string;
}

/**
 * At least this long for an answer once it is connected: a server that looks at a message before it takes it has it all the same, and would
 * get it again. With the connection and the turn of a channel before it, below the deadline of a pass for calls to the outside.
 */
const ANSWER_MS = 25_000;

/** E-mail by the mail server of the platform. */
export class EmailDeliverer extends Deliverer {
  private readonly transport: Transporter | undefined;
  private readonly sender: string;

  constructor(
    private readonly config: SmtpConfig,
    options: EmailOptions,
  ) {
    super();
    this.transport = config.url === undefined ? undefined : transportTo(config.url, options);
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

  override async deliver({ channel, notice, signal, outstanding }: Delivery): Promise<Outcome> {
    const hindrance = this.hindrance(channel);
    if (hindrance || !this.transport) return { kind: 'Failed', detail: hindrance?.message ?? '' };
    const { to = [], from: stated } = channel.spec.email ?? {};
    const { from, ...answers } = this.sendersOf(stated);
    // Nobody who has it gets it twice, and nobody who was taken out of the channel since gets it at all.
    const whom = to.filter((address) => outstanding === undefined || isAmong(outstanding, address));
    if (whom.length === 0)
      return { kind: 'Delivered', detail: 'The channel names nobody any more who does not have it' };
    try {
      const message = emailMessage(notice, domainOf(from));
      const envelope = { from, to: whom };
      return outcomeOfSent(await this.transport.sendMail({ ...message, from, ...answers, to, envelope, signal }));
    } catch (error) {
      if (signal.aborted) throw error;
      return outcomeOfError(error as NodemailerError, outstanding);
    }
  }

  /** Whoever may write a channel would else have the platform vouch that it comes from anybody of the company. */
  private sendersOf(stated = this.sender): { readonly from: string; readonly replyTo?: string } {
    const allowed = [this.sender, ...this.config.allowedSenders];
    const maySend = isAmong(allowed, stated) || isAmong(allowed, `*@${domainOf(stated)}`);
    return maySend ? { from: stated } : { from: this.sender, replyTo: stated };
  }
}

/** Mail servers, and the library, spell domains as they like. */
function isAmong(addresses: readonly string[], address: string): boolean {
  return addresses.some((each) => each.toLowerCase() === address.toLowerCase());
}

/** What the URL says of the same counts. */
function transportTo(url: string, { timeoutMs, ca }: EmailOptions): Transporter {
  return createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: Math.max(timeoutMs, ANSWER_MS),
    ...(ca === undefined ? {} : { tls: { ca: [...rootCertificates, ca] } }),
  });
}

function hostOf(url: string): string {
  const host = new URL(url).hostname;
  // An address literal is no domain that a sender may have.
  return /^[\d.]+$|^\[/.test(host) ? 'localhost' : host;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
