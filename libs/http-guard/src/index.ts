export { CertificateFiles, type CertificateFilesOptions } from './certificate-files.js';
export { FairQueue, type FairQueueOptions } from './fair-queue.js';
export { httpMetrics } from './http-metrics.js';
export { RequestLimits, type RequestLimitsConfig } from './request-limits.js';
export { SignInLimits, type SignInLimitsConfig, type SignInLimitsOptions } from './sign-in-limits.js';
export { TokenBuckets, type TokenBucketOptions } from './token-buckets.js';
