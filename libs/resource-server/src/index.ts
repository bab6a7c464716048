export { keepFinalizers } from './kinds/keep-finalizers.js';
export { refuseTakenName } from './kinds/refuse-taken-name.js';
export { kindInfoOf } from './kinds/kind-info.js';
export type { JsonSchema } from './kinds/json-schema.js';
export { KindRegistry, type RegisteredKind } from './kinds/kind-registry.js';
export { LocalResourceRouter } from './kinds/local-resource-router.js';
export type {
  AdmissionHook,
  AdmissionRequest,
  AdmissionResult,
  NameFormat,
  ServedKind,
  SubresourceHandler,
  SubresourceReader,
} from './kinds/served-kind.js';
export { LocalResourceApi } from './local-api/local-resource-api.js';
export { RememberedObjects } from './local-api/remembered-objects.js';
export { scaleObject, writtenScale, type ScaleFacts, type WrittenScale } from './local-api/scale.js';
export { withOwnApis } from './local-api/own-api.js';
export type { Clock } from './local-api/writer.js';
export { WriteAttempt } from './local-api/write-attempt.js';
export {
  forbiddenFor,
  type Authenticate,
  type AuthorizationAttributes,
  type Authorize,
  type PathAttributes,
  type ResourceAttributes,
  type Verb,
  withoutStatusWrites,
} from './http/authorization.js';
export { isTryOnly } from './http/dry-run.js';
export { flag, type Exchange } from './http/exchange.js';
export { readBody } from './http/request-body.js';
export { standingAccess, type StandingAccess } from './http/resource/standing-access.js';
export { impersonatedValues, impersonationsOf, refuseImpersonation } from './http/impersonation.js';
export { originOf, type TrustProxy } from './http/origin.js';
export { parseResourcePath, type ResourcePath } from './http/request-path.js';
export { requestTarget } from './http/request-target.js';
export { cutOff } from './http/response-state.js';
export { isTaken } from './http/taken.js';
export {
  KubernetesRequestHandler,
  type ExtraRoute,
  type Interceptor,
  type KubernetesRequestHandlerOptions,
  type ServerVersion,
} from './http/kubernetes-request-handler.js';
export type { TlsFiles } from './nest/fastify-adapter.js';
export { createResourceHttpServer, type ResourceHttpServer } from './nest/resource-http-server.js';
export { OpenApiDocuments, type Rendered } from './openapi/open-api-documents.js';
export type { ApiInfo, OpenApiDocument } from './openapi/document.js';
export { failuresOf } from './openapi/responses.js';
export type { ServerDocument } from './openapi/server-paths.js';
export { canonicalJson, jsonEqual } from './apply/json.js';
export { checkBody, type BodyCheck, type SchemaCheck } from './validation/body.js';
export {
  formatPath,
  invalidObject,
  toCause,
  valueAt,
  type FieldError,
  type FieldPath,
} from './validation/field-error.js';
export { checkLabel } from './validation/metadata.js';
export { checkStructure } from './validation/structural-schema.js';
export { toFieldErrors, unknownKeys } from './validation/zod-issues.js';
