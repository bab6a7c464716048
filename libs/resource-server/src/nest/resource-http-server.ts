import type { Server } from 'node:https';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { KubernetesRequestHandler, type KubernetesRequestHandlerOptions } from '../http/kubernetes-request-handler.js';
import { Connections } from './drain.js';
import { httpsOptions, resourceFastifyAdapter, type TlsFiles } from './fastify-adapter.js';
import { DEFAULT_LISTENER_LIMITS, limitListener, type ListenerLimits } from './listener-limits.js';
import { ResourceHttpModule } from './resource-http.module.js';

export interface ResourceHttpServerOptions extends KubernetesRequestHandlerOptions {
  /** Absent: plain HTTP. NOTE: kubectl does not send its token over plain HTTP. */
  readonly tls?: TlsFiles;
  /** Offers HTTP/2 beside HTTP/1.1, where there is TLS. Default: no. */
  readonly http2?: boolean;
  /** Times that clients have to send their requests. */
  readonly listener?: Partial<ListenerLimits>;
}

/** A server that listens, or is about to. */
export interface ResourceHttpServer {
  /** Listens and gives the URL; port 0 takes a free one. `reusePort`: also where another process listens that allows it, too. */
  listen(port: number, host: string, options?: { readonly reusePort?: boolean }): Promise<string>;
  /** Shows another certificate from the next handshake on; open connections live on. Throws when TLS does not take it. */
  renewCertificate(tls: TlsFiles): void;
  /**
   * Stops listening, ends open watches, lets clients go (`drainMs`) and answers what is under way. Whoever does not take his answer is cut off
   * after a while.
   */
  close(): Promise<void>;
}

/** The Kubernetes-shaped API as a server of its own, on NestJS and Fastify. */
export async function createResourceHttpServer(options: ResourceHttpServerOptions): Promise<ResourceHttpServer> {
  const { tls, listener, http2 = false, ...handler } = options;
  const limits = { ...DEFAULT_LISTENER_LIMITS, ...listener };
  const adapter = resourceFastifyAdapter(tls, { limits, http2 });
  const application = await NestFactory.create<NestFastifyApplication>(ResourceHttpModule.forRoot(handler), adapter, {
    bodyParser: false,
    logger: false,
  });
  const connections = new Connections(application.getHttpServer() as Server);
  return {
    async listen(port, host, { reusePort = false } = {}) {
      limitListener(application.getHttpServer(), limits);
      // Handed on to Node, though Nest does not know it.
      const where = { port, host, ...(reusePort ? { reusePort } : {}) };
      await application.listen(where);
      return application.getUrl();
    },
    renewCertificate(files) {
      const listener = application.getHttpServer() as Partial<Pick<Server, 'setSecureContext'>>;
      listener.setSecureContext?.(httpsOptions(files));
    },
    close: () => closing(application, connections, limits),
  };
}

/** A client that does not read would otherwise keep the process for as long as it likes. */
async function closing(
  application: NestFastifyApplication,
  connections: Connections,
  { closeTimeoutMs, drainMs }: ListenerLimits,
): Promise<void> {
  const handler = application.get(KubernetesRequestHandler);
  if (drainMs > 0) await connections.drain(drainMs, () => handler.endFollowing());
  const late = setTimeout(() => connections.cut(), closeTimeoutMs).unref();
  await application.close().finally(() => clearTimeout(late));
}
