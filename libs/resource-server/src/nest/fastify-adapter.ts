import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { SecureVersion } from 'node:tls';

/** Certificate and key of a listener, as PEM. */
export interface TlsFiles {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** When set, clients may present a certificate issued by it. */
  readonly clientCa?: string | Buffer;
}

const OLDEST_TLS: SecureVersion = 'TLSv1.2';

/** A Fastify adapter that leaves request bodies unread, so that every media type reaches the API as it was sent. */
export function resourceFastifyAdapter(tls?: TlsFiles): FastifyAdapter {
  const adapter = tls ? new FastifyAdapter({ https: httpsOptions(tls) }) : new FastifyAdapter();
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  return adapter;
}

/** What a TLS listener is told. */
export function httpsOptions({ cert, key, clientCa }: TlsFiles): Record<string, unknown> {
  const client = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  return { cert, key, minVersion: OLDEST_TLS, ...client };
}
