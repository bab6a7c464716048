import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CertificateFiles } from '@crate/testing';

/** A request as it came in. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** How a request is answered; `hang`: not at all; `cut`: not at all, and its connection breaks. */
export type Answer =
  | 'hang'
  | 'cut'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly text?: string };

/** A receiver of messages: remembers what came, and answers as it is told to. */
export class Receiver {
  readonly received: Received[] = [];
  /** Answers in turn; the last one goes on. */
  answers: readonly Answer[] = [{ status: 200 }];
  private readonly server: ReturnType<typeof createHttpServer>;

  private constructor(
    certificate: CertificateFiles | undefined,
    private readonly scheme: string,
  ) {
    const listener: RequestListener = (request, response) => void this.take(request, response);
    this.server = certificate
      ? createHttpsServer(
          { cert: readFileSync(certificate.certificateFile), key: readFileSync(certificate.keyFile) },
          listener,
        )
      : createHttpServer(listener);
  }

  /** With a certificate it speaks TLS. */
  static async start(certificate?: CertificateFiles): Promise<Receiver> {
    const receiver = new Receiver(certificate, certificate ? 'https' : 'http');
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  /** What came to a path, parsed. */
  bodies(path: string): readonly Record<string, unknown>[] {
    return this.received
      .filter((each) => each.path === path)
      .map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { url: path = '', headers } = request;
    const turn = Math.min(this.received.length, this.answers.length - 1);
    this.received.push({ path, headers, body: Buffer.concat(chunks).toString('utf8') });
    const answer = this.answers[turn] ?? { status: 200 };
    if (answer === 'hang') return;
    if (answer === 'cut') return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.text ?? '');
  }
}
