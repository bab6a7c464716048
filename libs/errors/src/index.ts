export {
  PlatformError,
  isPlatformError,
  errorCode,
  hasCode,
  toPlatformError,
  type ErrorCause,
  type ErrorCode,
  type ErrorDetails,
  type RetryPolicy,
} from './platform-error.js';
export { fromStatus, statusIn, toStatus, wordsOfOther, type KubernetesStatus } from './status.js';
export {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalidSpec,
  invariant,
  isFenced,
  notFound,
  timeout,
  unauthenticated,
  unavailable,
} from './errors.js';
