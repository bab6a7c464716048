import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A message as the mail server took it. */
export interface TakenMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly source: string;
}

/** A real mail server that keeps what it takes. */
export class MailServer {
  readonly mails: TakenMail[] = [];
  /** Refuses the next messages with this code. */
  refusal: number | undefined;
  /** Refuses a recipient with the next of these codes, until there are none left. */
  readonly refusals = new Map<string, number[]>();
  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = this.refusals.get(address)?.shift();
      return done(responseCode === undefined ? undefined : Object.assign(new Error('Not for them'), { responseCode }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (this.refusal !== undefined)
          return done(Object.assign(new Error('Not now'), { responseCode: this.refusal }));
        const { rcptTo, mailFrom } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const source = Buffer.concat(chunks).toString('utf8');
        this.mails.push({ to: rcptTo.map(({ address }) => address), from, source });
        return done();
      });
    },
  });

  static async start(): Promise<MailServer> {
    const mail = new MailServer();
    await new Promise<void>((resolve) => mail.server.listen(0, '127.0.0.1', resolve));
    return mail;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
