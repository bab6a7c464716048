export { CertificateFiles } from './certificate-files.js';
export { FairQueue } from './fair-queue.js';
export { httpMetrics } from './http-metrics.js';
export { RequestLimits } from './request-limits.js';
export { SignInLimits } from './sign-in-limits.js';
export { TokenBuckets } from './token-buckets.js';
