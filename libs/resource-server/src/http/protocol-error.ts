import { toStatus, type KubernetesStatus } from '@crate/errors';

/** A failure of HTTP itself, for which the platform's errors have no code: 404 for a path, 405, 406, 413, 415. */
export class ProtocolError extends Error {
  readonly status: KubernetesStatus;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  }
}

/** The path leads nowhere; also said of a resource type nobody serves. */
export function pathNotFound(): ProtocolError {
  return new ProtocolError(404, 'NotFound', 'the server could not find the requested resource');
}

const NO_SUCH_METHOD = 'the server does not allow this method on the requested resource';

/** `instead` says what to do in its place. */
export function methodNotAllowed(instead?: string): ProtocolError {
  const message = instead === undefined ? NO_SUCH_METHOD : `${NO_SUCH_METHOD}: ${instead}`;
  return new ProtocolError(405, 'MethodNotAllowed', message);
}

/** Nothing that the client accepts can be produced. */
export function notAcceptable(offered: readonly string[]): ProtocolError {
  const message = `only the following media types are accepted: ${offered.join(', ')}`;
  return new ProtocolError(406, 'NotAcceptable', message);
}

export function bodyTooLarge(limitBytes: number, hint = ''): ProtocolError {
  const message = `Request entity too large: limit is ${limitBytes}${hint && ` ${hint}`}`;
  return new ProtocolError(413, 'RequestEntityTooLarge', message);
}

/** The body is in a format that this endpoint does not read; `hint` says what to send instead. */
export function unsupportedMediaType(accepted: readonly string[], hint?: string): ProtocolError {
  const list = accepted.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return new ProtocolError(415, 'UnsupportedMediaType', hint === undefined ? message : `${message}; ${hint}`);
}

/** The Status for any thrown value; internals never leak. */
export function statusOf(error: unknown): KubernetesStatus {
  return error instanceof ProtocolError ? error.status : toStatus(error);
}
