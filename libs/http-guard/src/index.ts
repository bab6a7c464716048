export { CertificateFiles } from './certificate-files.js';
export { httpMetrics } from './http-metrics.js';
export { RequestLimits } from './request-limits.js';
export { SignInLimits } from './sign-in-limits.js';
