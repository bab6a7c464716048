import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { notFound, toStatus } from '@crate/errors';
import { ensureServerCertificate } from '../up/certificates.js';
import { renderKubeconfig } from '../up/kubeconfig.js';
import { writeSecretFile } from '../up/secret-file.js';
import { removeDataDir, temporaryDataDir } from './temporary-data-dir.js';

/** An answer: the body, with its type when it is no JSON; undefined: not found. */
export type FakeAnswer =
  | {
      readonly type?: string;
      readonly body: unknown;
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | undefined;

/** What is asked of a fake API besides method, path and body. */
export type FakeHeaders = IncomingMessage['headers'];

/** An API that answers with what a test says, and the data directory whose administrator reaches it. */
export class FakeApi {
  private constructor(
    readonly dataDir: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** `certificate`: what it shows; default: one of its own, which the administrator trusts. */
  static async start(
    answer: (method: string, path: string, body: unknown, headers: FakeHeaders) => FakeAnswer | Promise<FakeAnswer>,
    certificate?: { readonly cert: string; readonly key: string },
  ): Promise<FakeApi> {
    const dir = await temporaryDataDir();
    const { certificateFile, keyFile, ca } = await ensureServerCertificate(dir);
    const own = async (): Promise<{ readonly cert: string; readonly key: string }> => ({
      cert: await readFile(certificateFile, 'utf8'),
      key: await readFile(keyFile, 'utf8'),
    });
    const { cert, key } = certificate ?? (await own());
    const server = createServer({ cert, key }, (request, response) => {
      void bodyOf(request).then(async (body) => {
        const given = await answer(request.method ?? '', request.url ?? '', body, request.headers);
        const {
          type = 'application/json',
          body: text,
          status = 200,
          headers = {},
        } = given ?? { body: toStatus(notFound('it', 'x')), status: 404 };
        response.writeHead(status, { 'content-type': type, ...headers });
        response.end(Buffer.isBuffer(text) ? text : JSON.stringify(text));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const user = { user: 'admin', token: 'token' };
    await writeSecretFile(
      dir.adminKubeconfig(),
      renderKubeconfig({ server: `https://127.0.0.1:${port}`, ca, ...user }),
    );
    return new FakeApi(dir.root, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await removeDataDir(dir);
    });
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const text = (await request.toArray()).join('');
  return text === '' ? undefined : JSON.parse(text);
}
