import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import type { PolicyReviewRequest, PolicyReviewResponse } from '@crate/api';
import { toStatus, type KubernetesStatus } from '@crate/errors';
import { CertificateFiles } from '@crate/http-guard';
import type { Logger } from '@crate/telemetry';
import Fastify, { type FastifyInstance } from 'fastify';
import type { WebhookConfig } from './webhook.config.js';
import { admissionReview, parseAdmissionReview, reviewOf, type AskingCluster } from './admission-review.js';

const PATH = '/admission/v1/projects/:project/clusters/:cluster';

/** Two objects of the largest size that etcd takes, with room for what is around them. */
const MOST_BYTES = 8 * 1024 * 1024;

export interface AdmissionWebhookOptions {
  readonly config: WebhookConfig;
  /** Throws Unavailable while there is no verdict; an API server then does what its failurePolicy says. */
  readonly review: (request: PolicyReviewRequest) => Promise<PolicyReviewResponse>;
  readonly logger: Logger;
}

/**
 * Answers the API server of a cluster, as a validating admission webhook:
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export class AdmissionWebhook {
  private constructor(
    private readonly server: FastifyInstance<Server>,
    private readonly certificate: CertificateFiles,
  ) {}

  /** Listens. Throws InvalidSpec when the certificate cannot be used. */
  static async open({ config, review, logger }: AdmissionWebhookOptions): Promise<AdmissionWebhook> {
    const { certificateFile, keyFile, clientCaFile, host, port } = config;
    const certificate = await CertificateFiles.open({ certificateFile, keyFile, logger });
    const clients = clientCaFile
      ? { ca: await readFile(clientCaFile), requestCert: true, rejectUnauthorized: true }
      : {};
    const https = { ...certificate.current, ...clients, minVersion: 'TLSv1.2' as const };
    const server = Fastify({ https, bodyLimit: MOST_BYTES, routerOptions: { maxParamLength: 253 } });
    server.setErrorHandler((error, _, reply) => {
      const failure = failureOf(error);
      if (failure.code >= 500) logger.warn('An admission review has no answer', { error });
      return reply.code(failure.code).send(failure);
    });
    server.setNotFoundHandler((_, reply) =>
      reply.code(404).send(failureStatus(404, 'NotFound', `Ask by POST to ${PATH}`)),
    );
    server.post<{ Params: AskingCluster }>(PATH, async ({ body, params }) => {
      const request = parseAdmissionReview(body);
      const asked = reviewOf(request, params);
      return admissionReview(request.uid, asked ? await review(asked) : { allowed: true, violations: [] });
    });
    const url = await server.listen({ port, host });
    certificate.follow((files) => server.server.setSecureContext({ ...files, ...clients }));
    logger.info('Answering admission reviews', { url });
    return new AdmissionWebhook(server, certificate);
  }

  /** The port that it listens at. */
  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** When its certificate ends. */
  get certificateEnd(): Date {
    return this.certificate.validTo;
  }

  /** Answers what is asked, and listens no more; idempotent. */
  async close(): Promise<void> {
    this.certificate.close();
    await this.server.close();
  }
}

type Status = Pick<KubernetesStatus, 'kind' | 'apiVersion' | 'status' | 'reason' | 'code' | 'message'>;

/** What the server itself refuses (no JSON, too long) has a code of its own. */
function failureOf(error: unknown): Status {
  const { statusCode = 500, message = '' } = error as { readonly statusCode?: number; readonly message?: string };
  return statusCode < 500 ? failureStatus(statusCode, 'BadRequest', message) : toStatus(error);
}

function failureStatus(code: number, reason: string, message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}
