import { Pool } from 'undici';
import { AnsweredWrongly, type LoadResult, type Send } from '../load/load-result.js';
import { runFullLoad } from '../load/full-load.js';
import { runOpenLoad } from '../load/open-load.js';
import { serveJobs } from '../processes/worker.js';
import type { Dataset } from './dataset.js';
import type { Endpoint } from './endpoint.js';
import { requestOf, type Operation } from './operations.js';
import { RowWork } from './row-work.js';

/** What a load is put on: Crate, the bare server, or bare `pg` in this process. */
export type Subject = 'crate' | 'fastify' | 'pg';

export interface GeneratorSetup {
  readonly dataset: Dataset;
  readonly databaseUrl: string;
  readonly endpoints: Readonly<Record<'crate' | 'fastify', Endpoint>>;
  readonly connections: number;
}

export interface LoadJob {
  readonly subject: Subject;
  readonly operation: Operation;
  readonly seconds: number;
  /** Requests a second; absent: as many as are answered. */
  readonly rate?: number;
  /** Number of the first request. */
  readonly first: number;
}

export type GeneratorJob = { readonly setup: GeneratorSetup } | { readonly load: LoadJob };

/** Sends requests. A process of its own, so that its work is told apart from what it measures. */
class Generator {
  private readonly senders: Readonly<Record<Subject, (operation: Operation) => Send>>;

  constructor(private readonly setup: GeneratorSetup) {
    const rows = new RowWork(setup.databaseUrl, setup.dataset);
    this.senders = {
      crate: this.httpSender(setup.endpoints.crate, false),
      fastify: this.httpSender(setup.endpoints.fastify, true),
      pg: (operation) => async (index) => void (await rows.run(operation, index)),
    };
  }

  async load({ subject, operation, seconds, rate, first }: LoadJob): Promise<LoadResult> {
    const send = this.senders[subject](operation);
    if (rate === undefined) return runFullLoad({ concurrency: this.setup.connections, seconds, first }, send);
    return runOpenLoad({ rate, seconds, first }, send);
  }

  /** The bare server knows no paths of resources: it is told operation and number, and gets the same body. */
  private httpSender({ url, ca, token }: Endpoint, isBare: boolean): (operation: Operation) => Send {
    // As many clients as connections: over HTTP/2 they would be one, and the bare server knows no HTTP/2.
    const pool = new Pool(url, { connections: this.setup.connections, allowH2: false, connect: { ca } });
    const authorization = `Bearer ${token}`;
    return (operation) => async (index) => {
      const { method, path, body, contentType } = requestOf(operation, this.setup.dataset, index);
      const headers = { authorization, ...(contentType === undefined ? {} : { 'content-type': contentType }) };
      const target = isBare ? `/${operation}/${index}` : path;
      const response = await pool.request({ method, path: target, headers, body: body ?? null });
      const text = await response.body.text();
      const { statusCode } = response;
      if (statusCode < 300) return;
      throw new AnsweredWrongly(statusCode, `${method} ${target}: ${statusCode} ${text.slice(0, 500)}`);
    };
  }
}

let generator: Generator | undefined;

serveJobs(async (job: GeneratorJob) => {
  if ('setup' in job) {
    generator = new Generator(job.setup);
    return undefined;
  }
  if (!generator) throw new Error('Not set up yet');
  return generator.load(job.load);
});
