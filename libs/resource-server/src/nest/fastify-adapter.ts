import { badRequest, toStatus } from '@crate/errors';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { SecureVersion } from 'node:tls';
import { createHttp2Listener } from './http2-listener.js';
import { answerClientError, DEFAULT_LISTENER_LIMITS, listenerOptions, type ListenerLimits } from './listener-limits.js';

/** Certificate and key of a listener, as PEM. */
export interface TlsFiles {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** When set, clients may present a certificate issued by it. */
  readonly clientCa?: string | Buffer;
}

const MEDIA_TYPE = /^\s*[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(;|$)/;
const OLDEST_TLS: SecureVersion = 'TLSv1.2';

/** How a listener of the adapter is made. */
export interface AdapterOptions {
  readonly limits?: ListenerLimits;
  /** Offers HTTP/2 beside HTTP/1.1 to clients that speak TLS. Default: no. */
  readonly http2?: boolean;
}

/** A Fastify adapter that leaves request bodies unread, so that every media type reaches the API as it was sent. */
export function resourceFastifyAdapter(tls?: TlsFiles, options: AdapterOptions = {}): FastifyAdapter {
  const adapter = new FastifyAdapter({
    frameworkErrors,
    // What has come is answered, also while the listener closes.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    ...listenerOf(tls, options),
  });
  const fastify = adapter.getInstance();
  fastify.addHook('onRequest', (request, _reply, done) => {
    withoutMalformedType(request.raw.headers);
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  return adapter;
}

function listenerOf(tls: TlsFiles | undefined, options: AdapterOptions): object {
  const { limits = DEFAULT_LISTENER_LIMITS, http2 = false } = options;
  const listener = listenerOptions(limits);
  if (!tls) return { http: listener };
  if (!http2) return { https: { ...httpsOptions(tls), ...listener } };
  // Fastify would end every connection that is quiet for a minute, watches or not.
  return {
    serverFactory: (handler: RequestListener) => createHttp2Listener(httpsOptions(tls), limits, handler),
  };
}

/** Fastify refuses what is no media type in words of its own; to the API it is the same as a type that says nothing. */
function withoutMalformedType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
}

/** What fails before any route, such as a path with malformed escapes, is told as everything else is. */
function frameworkErrors(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(400).send(toStatus(badRequest('the path of the request is malformed')));
}

/** What a TLS listener is told. */
export function httpsOptions({ cert, key, clientCa }: TlsFiles): Record<string, unknown> {
  const client = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  return { cert, key, minVersion: OLDEST_TLS, ...client };
}
