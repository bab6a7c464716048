export { HintBus, ServiceCaller, UNCHANGED, type ChangeHint } from './bus.js';
export { connectNats, type ConnectNatsOptions } from './connection/connect-nats.js';
export { NatsServiceCaller } from './call/nats-service-caller.js';
export { CALL_TOO_LATE, LATE_CALL_MS } from './call/wire.js';
export { NatsHintBus } from './hints/nats-hint-bus.js';
export { NatsServiceModule } from './serve/service-controller.js';
export { NatsServiceServer } from './serve/nats-service-server.js';
export { ServiceMethods, type ServiceMethod } from './serve/service-methods.js';
export { resourceMethods } from './resources/resource-methods.js';
export { NatsResourceApi } from './resources/nats-resource-api.js';
export { ServiceAnnouncer } from './directory/service-announcer.js';
export { ServiceDirectory } from './directory/service-directory.js';
export { Confidential } from './sealing/confidential.js';
export { PayloadSealer, type SealBinding } from './sealing/payload-sealer.js';
export { secrecyOf, type KindSecrecy, type SecrecyOf } from './sealing/secrecy.js';
export { PolicyReviewer, type PolicyReviewContext } from './policy/policy-reviewer.js';
export { NatsPolicyReviewer } from './policy/nats-policy-reviewer.js';
export { ScriptedPolicyReviewer } from './policy/scripted-policy-reviewer.js';
export { GuardedPolicyReviewer, type WhenUnavailable } from './policy/guarded-policy-reviewer.js';
export { isPolicyUnavailable, NOT_JUDGED } from './policy/policy-unavailable.js';
export { POLICY_COMPLIANT, policyCompliance, policyComplianceUnknown, WAIVED } from './policy/policy-compliance.js';
export { mergedReview, StandingReviews, type StandingDocument } from './policy/standing-reviews.js';
export {
  fitsOneCall,
  MOST_RENEWED_AT_ONCE,
  MOST_REVIEWS_AT_ONCE,
  type PolicyReviewAllRequest,
  type PolicyReviewAllResponse,
} from './policy/review-batches.js';
export { userInfoOf } from './policy/user-info.js';
export { policyHints, type PolicyHints } from './policy/policy-hints.js';
export { policyDenied, policyWarning, type DeniedDocument } from './policy/policy-denied.js';
export { asyncApiDocument } from './asyncapi/async-api.js';
export { describedMethods, describedScopes, type MethodDescription } from './asyncapi/methods.js';
