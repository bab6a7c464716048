import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { CertificateFiles } from '@crate/testing';
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
  /** How long it looks at a message before it takes it. */
  scanMs = 0;
  /** Greets with this code instead of a welcome. */
  greeting: number | undefined;
  /** Refuses every sender with this code. */
  senderRefusal: number | undefined;
  /** Refuses a recipient with the next of these codes, until there are none left. */
  readonly refusals = new Map<string, number[]>();
  private readonly server: SMTPServer;

  private constructor(private readonly certificate: CertificateFiles | undefined) {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      ...(certificate ? secured(certificate) : {}),
      onConnect: (_session, done) => done(refusalOf(this.greeting, 'No service here')),
      onMailFrom: (_address, _session, done) => done(refusalOf(this.senderRefusal, 'Not from you')),
      onRcptTo: ({ address }, _session, done) => done(refusalOf(this.refusals.get(address)?.shift(), 'Not for them')),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          if (this.refusal !== undefined) return done(refusalOf(this.refusal, 'Not now'));
          const { rcptTo, mailFrom } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          const source = Buffer.concat(chunks).toString('utf8');
          this.mails.push({ to: rcptTo.map(({ address }) => address), from, source });
          return void setTimeout(done, this.scanMs);
        });
      },
    });
    // A client that does not trust it hangs up, which ends no server.
    this.server.on('error', () => undefined);
  }

  /** With a certificate it speaks TLS from the beginning. */
  static async start(certificate?: CertificateFiles): Promise<MailServer> {
    const mail = new MailServer(certificate);
    await new Promise<void>((resolve) => mail.server.listen(0, '127.0.0.1', resolve));
    return mail;
  }

  get url(): string {
    return `${this.certificate ? 'smtps' : 'smtp'}://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

function refusalOf(responseCode: number | undefined, message: string): Error | undefined {
  return responseCode === undefined ? undefined : Object.assign(new Error(message), { responseCode });
}

function secured({ certificateFile, keyFile }: CertificateFiles): { secure: boolean; cert: string; key: string } {
  return { secure: true, cert: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}
