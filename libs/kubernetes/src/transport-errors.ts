import { isNativeError } from 'node:util/types';
import {
  fromStatus,
  statusIn,
  hasCode,
  isPlatformError,
  PlatformError,
  timeout,
  type KubernetesStatus,
} from '@crate/errors';

const CERTIFICATE_CODES = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_)/;

/** Those of Kubernetes that we have no code for. Whatever else a cluster or its webhooks call a refusal is no reason of ours. */
const FOREIGN_REASONS = ['Gone', 'NotAcceptable', 'RequestEntityTooLarge', 'ServerTimeout', 'StoreReadError'];

/** Why a cluster that was reached cannot do what it is asked for. */
const OF_CLUSTER = ['ClusterError', 'AnswerTooLarge'];

/** Nobody answered, or who answered is no API server that we trust. */
const NOT_REACHED = ['ConnectionDown', 'CertificateRejected', 'Redirected'];

const AGGREGATED_PATH = /^\/apis\/([^/]+)\/([^/]+)/;
/** So much is passed on of what is no `Status`. */
const LONGEST_LINE = 200;
/** A cluster may quote all of an object, or say what it likes; this goes into logs. */
const LONGEST_MESSAGE = 16_000;

/** What a failed exchange with a cluster means: nobody answered, or who answered is not who we trust. */
export function transportError(error: unknown, server: string, callerSignal?: AbortSignal): PlatformError {
  if (isPlatformError(error)) return error;
  if (callerSignal?.aborted) return timeout(`The call to ${server} was given up`, error);
  const code = causeCode(error);
  if (CERTIFICATE_CODES.test(code)) {
    return connectionError(`The certificate of ${server} is not trusted (${code})`, 'CertificateRejected', error);
  }
  return connectionError(
    `The API server ${server} does not answer${code ? ` (${code})` : ''}`,
    'ConnectionDown',
    error,
  );
}

/** What a refusal means. `body` is a Kubernetes `Status`, or anything a proxy in between answered. */
export function responseError(status: number, body: string, server: string): PlatformError {
  const parsed = readStatus(body);
  if (status === 401) {
    const remedy = 'See whether the cluster still takes the client certificate, or the token, that it is asked with';
    return new PlatformError('Unauthenticated', `${server} rejects the credentials`, {
      // Those of a cloud are rejected by another name: who is told of these can do nothing about the account.
      details: { reason: 'KubeconfigRejected', remedy },
    });
  }
  if (parsed) return statusError({ ...parsed, code: status });
  if (status >= 500) return connectionError(`${server} answered ${status}`, 'ConnectionDown');
  return fromStatus({ code: status, message: `${server} answered ${status}` });
}

/** What it means that a cluster sends us elsewhere: no API server does. */
export function redirectError(server: string): PlatformError {
  return connectionError(`${server} answers with a redirect, which is not followed`, 'Redirected');
}

/**
 * What it means that a path is answered for with a server's error and no `Status` while the cluster itself answers: the server behind
 * an aggregated API is down. Undefined for a path that has none.
 */
export function groupError(status: number, body: string, path: string): PlatformError | undefined {
  const [, group, version] = AGGREGATED_PATH.exec(path) ?? [];
  if (group === undefined || version === undefined) return undefined;
  const line = (body.split('\n')[0] ?? '').trim().slice(0, LONGEST_LINE);
  const said = line === '' ? '' : ` (${line})`;
  const remedy = `Look at what the APIService ${version}.${group} says, and at the server behind it`;
  return new PlatformError(
    'Unavailable',
    `The cluster cannot serve ${group}/${version}: it answered ${status}${said}`,
    {
      details: { reason: 'ClusterError', remedy },
    },
  );
}

/**
 * What a `Status` of a cluster means. Reasons are labels of metrics, and branched on, so only those of Kubernetes are believed. Its internal error, such as a webhook or an etcd that does not answer, is no bug of ours: it is tried
 * again, and people read what the cluster says. The cluster itself was reached.
 */
export function statusError(status: Partial<KubernetesStatus>): PlatformError {
  const error = fromStatus({
    ...status,
    ...(typeof status.message === 'string' ? { message: withoutMiddle(status.message) } : {}),
  });
  const { reason, ...details } = error.details;
  if (error.code === 'Invariant') {
    const message = error.message === error.code ? 'The cluster has an internal error' : error.message;
    return new PlatformError('Unavailable', message, { details: { ...details, reason: 'ClusterError' } });
  }
  if (reason === undefined || FOREIGN_REASONS.includes(reason)) return error;
  return new PlatformError(error.code, error.message, { details });
}

/** True when the cluster was reached and does not take an object as it and the cluster are now: invalid, not allowed, of a kind it does not serve, or in want of a webhook that does not answer. */
export function isRefusal(error: unknown): boolean {
  if (hasCode(error, 'InvalidSpec', 'BadRequest', 'Forbidden', 'NotFound')) return true;
  return isPlatformError(error) && error.code === 'Unavailable' && OF_CLUSTER.includes(error.details.reason ?? '');
}

/** True when the cluster could not be reached, whatever the cause. */
export function isConnectionDown(error: unknown): boolean {
  if (!isPlatformError(error) || error.code !== 'Unavailable') return false;
  return NOT_REACHED.includes(error.details.reason ?? '');
}

function connectionError(message: string, reason: string, cause?: unknown): PlatformError {
  return new PlatformError('Unavailable', message, { details: { reason }, cause });
}

/** What is wrong with a value stands behind it. */
function withoutMiddle(text: string): string {
  const half = LONGEST_MESSAGE / 2;
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

function causeCode(error: unknown): string {
  for (let cause = error; isNativeError(cause); cause = cause.cause) {
    const { code, name } = cause as Error & { code?: unknown };
    if (typeof code === 'string') return code;
    if (name === 'TimeoutError') return 'timeout';
  }
  return '';
}

function readStatus(body: string): Partial<KubernetesStatus> | undefined {
  try {
    return statusIn(JSON.parse(body));
  } catch {
    return undefined;
  }
}
