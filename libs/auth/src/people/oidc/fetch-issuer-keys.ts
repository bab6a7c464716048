import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import { fetchJson } from './fetch-json.js';
import type { OidcIssuerOptions } from './issuer-options.js';

const discoverySchema = z.looseObject({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https$/ }) });
const jwksSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(1000) });

/**
 * The keys that an issuer publishes, by its discovery document.
 * Source: https://openid.net/specs/openid-connect-discovery-1_0.html (sections 4.1 and 4.3)
 */
export async function fetchIssuerKeys({
  issuer,
  caFile,
}: Pick<OidcIssuerOptions, 'issuer' | 'caFile'>): Promise<JSONWebKeySet> {
  const location = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const discovery = discoverySchema.parse(await fetchJson(location, caFile));
  if (discovery.issuer !== issuer) throw new Error(`${location} speaks for another issuer, ${discovery.issuer}`);
  const { keys } = jwksSchema.parse(await fetchJson(discovery.jwks_uri, caFile));
  // Symmetric keys have no place in a published set; one that is there must not verify anything.
  return { keys: keys.filter(({ kty }) => kty !== 'oct') };
}
