import { readFile } from 'node:fs/promises';
import fastify from 'fastify';
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
  return app.listen({ port: 0, host: '127.0.0.1' });
}

serveJobs(serve);
