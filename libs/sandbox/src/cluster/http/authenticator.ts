import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { badRequest, unauthenticated } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import { impersonatedValues, impersonationsOf, type Authorize } from '@crate/resource-server';

interface Claims {
  readonly exp?: number;
  readonly 'kubernetes.io'?: {
    readonly namespace?: string;
    readonly serviceaccount?: { readonly name?: string; readonly uid?: string };
  };
}

/** A service account that a token speaks for. */
export interface ServiceAccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Tells callers by their client certificate (common name and organisations) or their service-account token. */
export class Authenticator {
  /**
   * `accountExists` says whether a token's account is still the one it was made for; `authorize` refuses who may not act as somebody else.
   */
  constructor(
    private readonly signingKey: () => string,
    private readonly accountExists: (account: ServiceAccountIdentity) => boolean,
    private readonly authorize: Authorize,
  ) {}

  /** Throws Unauthenticated, Forbidden for who may not act as somebody else, and BadRequest where no user is named to act as. */
  async authenticate(request: IncomingMessage): Promise<Caller> {
    const socket = request.socket as TLSSocket;
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined && !socket.authorized) throw unauthenticated();
    const caller = token === undefined ? byCertificate(socket.getPeerCertificate()) : this.byToken(token);
    const wanted = impersonationsOf(request.headers);
    if (wanted.length === 0) return caller;
    const impersonated = impersonatedBy(request);
    for (const each of wanted) await this.authorize(caller, each);
    return impersonated;
  }

  /** A token for the account; kubectl's `create token` and workloads use them. */
  issue(account: ServiceAccountIdentity, seconds: number, now: Date): string {
    const issuedAt = Math.floor(now.getTime() / 1000);
    const { namespace, name, uid } = account;
    const claims = {
      iss: 'https://kubernetes.default.svc.cluster.local',
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: ['https://kubernetes.default.svc.cluster.local'],
      iat: issuedAt,
      nbf: issuedAt,
      exp: issuedAt + seconds,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    };
    const content = [{ alg: 'ES256', typ: 'JWT' }, claims].map((part) => encode(JSON.stringify(part))).join('.');
    const key = { key: createPrivateKey(this.signingKey()), dsaEncoding: 'ieee-p1363' } as const;
    return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
  }

  private byToken(token: string): Caller {
    const claims = this.verified(token);
    const { namespace, serviceaccount } = claims?.['kubernetes.io'] ?? {};
    if (!claims || !namespace || !serviceaccount?.name || (claims.exp ?? 0) * 1000 < Date.now())
      throw unauthenticated();
    const { name, uid = '' } = serviceaccount;
    if (!this.accountExists({ namespace, name, uid })) throw unauthenticated();
    return {
      user: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    };
  }

  /** The algorithm is ours to state, not the token's. */
  private verified(token: string): Claims | undefined {
    const [header, payload, signature] = token.split('.');
    if (!header || !payload || !signature) return undefined;
    const key = { key: createPublicKey(this.signingKey()), dsaEncoding: 'ieee-p1363' } as const;
    const isGenuine = verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
    if (!isGenuine) return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;
  }
}

function byCertificate({ subject }: PeerCertificate): Caller {
  const organizations = (subject as { O?: string | string[] }).O ?? [];
  const groups = typeof organizations === 'string' ? [organizations] : organizations;
  const name = subject.CN;
  return { user: typeof name === 'string' ? name : '', groups: [...groups, 'system:authenticated'] };
}

/** Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
function impersonatedBy({ headers }: IncomingMessage): Caller {
  const [user] = impersonatedValues(headers, 'impersonate-user');
  if (user === undefined)
    throw badRequest('Give Impersonate-User, too: nobody is only a group, or what else is known of them');
  return { user, groups: [...impersonatedValues(headers, 'impersonate-group'), 'system:authenticated'] };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
