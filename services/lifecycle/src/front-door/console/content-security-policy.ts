import type { ServerResponse } from 'node:http';

/** Everything comes from this server, nothing inline runs or styles, and nobody frames the page. Icons may be data URLs. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** Headers of a page, beside those that every answer of the front door has. */
export function setPageHeaders(response: ServerResponse): void {
  response.setHeader('content-security-policy', CONSOLE_POLICY);
  // No window of another origin gets hold of this one, and no other origin may embed what is served here.
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()');
}
