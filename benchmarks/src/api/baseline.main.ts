import { readFile } from 'node:fs/promises';
import type { KubeObject } from '@crate/api';
import fastify, { type FastifyReply } from 'fastify';
import { serveJobs } from '../processes/worker.js';
import type { Dataset } from './dataset.js';
import { OPERATIONS } from './operations.js';
import { RowWork } from './row-work.js';

export interface BaselineSetup {
  readonly dataset: Dataset;
  readonly databaseUrl: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Bare Fastify over TLS that answers each operation with its row work alone. Gives its URL. */
async function serve({ dataset, databaseUrl, certificateFile, keyFile }: BaselineSetup): Promise<string> {
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  const rows = new RowWork(databaseUrl, dataset);
  const app = fastify({ https: { cert, key } });
  const parse = (_request: unknown, body: string): Promise<unknown> => Promise.resolve(JSON.parse(body));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, parse);
  for (const operation of OPERATIONS) {
    app.route<{ Params: { index: string } }>({
      method: ['GET', 'POST', 'PUT', 'PATCH'],
      url: `/${operation}/:index`,
      handler: ({ params }) => rows.run(operation, Number(params.index)),
    });
  }
  const watches = new Watches();
  app.get('/watch', (_request, reply) => watches.open(reply));
  app.patch<{ Params: { index: string } }>('/touch/:index', async ({ params }) => {
    const object = await rows.run('touch', Number(params.index));
    watches.send(object as KubeObject);
    return object;
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
}

/** Open responses that get the same bytes, each numbered, in the order of answers. */
class Watches {
  private readonly all = new Set<FastifyReply['raw']>();
  private sent = 0;

  open(reply: FastifyReply): void {
    reply.hijack();
    const { raw } = reply;
    this.sent = 0;
    raw.writeHead(200, { 'content-type': 'application/json' });
    raw.flushHeaders();
    this.all.add(raw);
    raw.once('close', () => this.all.delete(raw));
  }

  send(object: KubeObject): void {
    const metadata = { ...object.metadata, resourceVersion: String((this.sent += 1)) };
    const bytes = Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object: { ...object, metadata } })}\n`);
    for (const response of this.all) response.write(bytes);
  }
}

serveJobs(serve);
