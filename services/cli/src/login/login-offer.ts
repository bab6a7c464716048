import { badRequest } from '@crate/errors';
import { z } from 'zod';
import type { ApiClient } from '../client/api-client.js';
import { noAnswer } from '../client/no-answer.js';

const LOGIN_PATH = '/.well-known/crate-login';
const OK = 200;

const issuerSchema = z.object({
  name: z.string(),
  issuer: z.url({ protocol: /^https$/ }),
  clientId: z.string(),
  scopes: z.array(z.string()),
  resource: z.string().optional(),
  certificateAuthority: z.string().optional(),
});
const documentSchema = z.object({ issuers: z.array(issuerSchema) });

/** Where and as which client people sign in. */
export type LoginOffer = z.output<typeof issuerSchema>;

/** What the platform offers; `name` chooses among several. Throws Unavailable where something else than a platform answers. */
export async function findOffer(api: ApiClient, name: string | undefined): Promise<LoginOffer> {
  const { success, data, error } = documentSchema.safeParse(await api.get(LOGIN_PATH));
  if (!success) throw noAnswer(api.server, OK, error);
  const { issuers } = data;
  const names = issuers.map((issuer) => issuer.name).join(', ');
  if (issuers.length === 0)
    throw badRequest(`${api.server} offers no way to sign in; ask who runs it for a kubeconfig`);
  if (name === undefined && issuers.length > 1) throw badRequest(`Choose one with --issuer: ${names}`);
  const found = name === undefined ? issuers[0] : issuers.find((issuer) => issuer.name === name);
  if (!found) throw badRequest(`${api.server} does not know the issuer "${name}"; known: ${names}`);
  return found;
}
