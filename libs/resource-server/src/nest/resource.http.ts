import { All, type BeforeApplicationShutdown, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KubernetesRequestHandler } from '../http/kubernetes-request-handler.js';

/** Hands every path that no other controller claims to the request handler. */
@Controller()
export class ResourceController implements BeforeApplicationShutdown {
  constructor(@Inject(KubernetesRequestHandler) private readonly handler: KubernetesRequestHandler) {}

  @All('*')
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // The handler streams and writes its own errors; Fastify is to leave the response alone.
    reply.hijack();
    await this.handler.handle(request.raw, reply.raw);
  }

  /** Open watches end before the listener waits for its connections. */
  beforeApplicationShutdown(): void {
    this.handler.close();
  }
}
