import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** What came by HTTP. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Where messages go: a receiver of webhooks, one as Slack is, by their paths, and a mail server. */
export class Receivers {
  readonly received: Received[] = [];
  readonly mails: string[] = [];
  /** Requests to this path get no answer. */
  hanging: string | undefined;

  private readonly web: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Received['body'];
      this.received.push({ path, headers, body });
      if (path !== this.hanging) response.end('ok');
    });
  });
  private readonly mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        this.mails.push(Buffer.concat(chunks).toString('utf8'));
        done();
      });
    },
  });

  static async start(): Promise<Receivers> {
    const receivers = new Receivers();
    await new Promise<void>((resolve) => receivers.web.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => receivers.mail.listen(0, '127.0.0.1', resolve));
    return receivers;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.web.address() as AddressInfo).port}`;
  }

  get smtpUrl(): string {
    return `smtp://127.0.0.1:${(this.mail.server.address() as AddressInfo).port}`;
  }

  /** What came to a path, in order. */
  at(path: string): readonly Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async stop(): Promise<void> {
    this.web.closeAllConnections();
    await new Promise((resolve) => this.web.close(resolve));
    await new Promise<void>((resolve) => this.mail.close(() => resolve()));
  }
}
