import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FileKeyStore,
  SERVICES,
  ServiceTokenIssuer,
  subjects,
  TOKEN_HEADER,
  type Scope,
  type ServiceName,
  type ServiceRegistry,
} from '@crate/auth';
import { headers, PermissionViolationError, RequestError, type NatsConnection } from '@nats-io/nats-core';
import type { OpenEnvelope } from './envelope.js';
import type { NestReply } from './wire.js';
import { describedMethods } from '../asyncapi/methods.js';
import { resourceMethods } from '../resources/resource-methods.js';
import type { ServiceMethod } from '../serve/service-methods.js';
import { FakeResourceApi } from '../testing/fake-resource-api.js';
import { TestPlatform } from '../testing/platform.js';

const REF = { group: 'g', version: 'v1', plural: 'things', name: 'x' };

/** What each method takes to be called, as promised: written by hand, not taken from the product. */
const NEEDS: readonly { readonly method: string; readonly scope: Scope; readonly body?: object }[] = [
  { method: 'resources.get', scope: 'resources:read' },
  { method: 'resources.list', scope: 'resources:read' },
  { method: 'resources.watch', scope: 'resources:read' },
  { method: 'resources.readLog', scope: 'resources:read' },
  { method: 'resources.readSubresource', scope: 'resources:read', body: { ref: REF, subresource: 'plan' } },
  { method: 'resources.readSubresource', scope: 'kubeconfig:read', body: { ref: REF, subresource: 'kubeconfig' } },
  { method: 'resources.create', scope: 'resources:write' },
  { method: 'resources.update', scope: 'resources:write' },
  { method: 'resources.patch', scope: 'resources:write' },
  { method: 'resources.remove', scope: 'resources:write' },
  { method: 'resources.removeCollection', scope: 'resources:write' },
  { method: 'resources.writeSubresource', scope: 'resources:write' },
  { method: 'review', scope: 'policy:review' },
  { method: 'reviewAll', scope: 'policy:review' },
  { method: 'forget', scope: 'policy:review' },
  { method: 'renew', scope: 'policy:review' },
  { method: 'plan.preview', scope: 'resources:read' },
  { method: 'audit.read', scope: 'audit:read' },
  { method: 'audit.state', scope: 'audit:read' },
  { method: 'audit.verify', scope: 'audit:read' },
  { method: 'status', scope: 'status:read' },
];

/** Who may do what at whom. */
const GRANTS: Readonly<Record<string, Readonly<Record<string, readonly Scope[]>>>> = {
  'cloud-mgmt': { lifecycle: ['resources:read', 'resources:write', 'audit:read', 'status:read'] },
  'cluster-mgmt': { lifecycle: ['resources:read', 'resources:write', 'kubeconfig:read', 'audit:read', 'status:read'] },
  'policy-mgmt': {
    lifecycle: ['resources:read', 'resources:write', 'policy:review', 'audit:read', 'status:read'],
    'cloud-mgmt': ['policy:review'],
    'cluster-mgmt': ['policy:review'],
  },
};

const ALL: readonly Scope[] = [
  'resources:read',
  'resources:write',
  'kubeconfig:read',
  'policy:review',
  'audit:read',
  'status:read',
];
const SCOPES: readonly (readonly Scope[])[] = [...ALL.map((scope) => [scope]), ALL, []];

interface Token {
  readonly text: string;
  /** Undefined when it does not hold. */
  readonly holds?: { readonly service: string; readonly scopes: readonly Scope[] };
}

let platform: TestPlatform;
const connections = new Map<string, NatsConnection>();
const handled: string[] = [];
beforeAll(async () => {
  platform = await TestPlatform.start();
  for (const service of SERVICES) {
    connections.set(service, await platform.connect(service));
    await platform.serve(service, ({ closing }) => countedMethods(service, closing));
  }
});
afterAll(async () => platform.stop());

/**
 * The methods of resources with the scopes they really ask for, and of all services together the others as the contract has them, which
 * each service is held to where it runs; each only notes that it was reached.
 */
function countedMethods(service: string, closing: AbortSignal): Record<string, ServiceMethod> {
  const options = { api: new FakeResourceApi(), closing, maxPayloadBytes: 1_000_000, secrecyOf: () => undefined };
  const scopes = {
    ...Object.fromEntries(describedMethods().map(({ name, scope }) => [name, scope as Scope])),
    ...Object.fromEntries(Object.entries(resourceMethods(options)).map(([name, { scope }]) => [name, scope])),
  };
  const count = ([name, scope]: [string, ServiceMethod['scope']]): [string, ServiceMethod] => [
    name,
    { scope, handle: async () => Promise.resolve(handled.push(`${service} ${name}`)) },
  ];
  return Object.fromEntries(Object.entries(scopes).map(count));
}

interface Forged {
  readonly service: string;
  readonly audience: string;
  readonly scopes: readonly Scope[];
  readonly signer?: string;
  readonly now?: () => number;
}

/** A token that says whatever one likes, signed with a real key. */
function forge({ service, audience, scopes, signer = service, now }: Forged): string {
  const registry = { scopes: () => (scopes.length > 0 ? scopes : ['']) } as unknown as ServiceRegistry;
  const keys = new FileKeyStore(platform.keyDirectories, signer);
  const issuer = new ServiceTokenIssuer({ service, keys, registry, ...(now ? { now } : {}) });
  return issuer.issue(audience, { user: 'ada', groups: ['platform-admin'] });
}

/** Every identity with every scope for every receiver, and all that is wrong with a token for this one. */
function tokensFor(target: ServiceName): readonly Token[] {
  const whole = SERVICES.flatMap((service) =>
    [...SERVICES, 'crate.announce'].flatMap((audience) =>
      SCOPES.map((scopes): Token => {
        const text = forge({ service, audience, scopes });
        return audience === target ? { text, holds: { service, scopes } } : { text };
      }),
    ),
  );
  const base = { service: 'lifecycle', audience: target, scopes: ALL };
  const past = (): number => Date.now() - 400_000;
  const future = (): number => Date.now() + 400_000;
  const broken = [
    '',
    'rubbish',
    forge({ ...base, signer: 'cloud-mgmt' }),
    forge({ ...base, service: 'policy-mgmt', signer: 'cluster-mgmt' }),
    forge({ ...base, service: 'stranger', signer: 'lifecycle' }),
    forge({ ...base, now: past }),
    forge({ ...base, now: future }),
    forge(base).slice(0, -3),
    platform.issuer('lifecycle').issueAnnouncement(),
  ];
  return [...whole, ...broken.map((text) => ({ text }))];
}

async function send(
  from: string,
  to: string,
  { method, body = {} }: (typeof NEEDS)[number],
  token: string,
): Promise<number> {
  const sent = headers();
  if (token !== '') sent.set(TOKEN_HEADER, token);
  const subject = subjects.method(to, method);
  const text = JSON.stringify({ pattern: subject, data: body, id: '1' });
  const reply = await (connections.get(from) as NatsConnection).request(subject, text, {
    timeout: 30_000,
    headers: sent,
  });
  const envelope = reply.json<NestReply>().response as OpenEnvelope;
  return envelope.ok ? 200 : envelope.status.code;
}

function expected(target: string, scope: Scope, { holds }: Token): number {
  if (!holds) return 401;
  const granted = GRANTS[target]?.[holds.service] ?? [];
  return granted.includes(scope) && holds.scopes.includes(scope) ? 200 : 403;
}

describe('calls over NATS', () => {
  it('are of methods of which somebody said what they take', () => {
    const said = new Set(NEEDS.map(({ method }) => method));
    expect([...said].sort()).toEqual(
      describedMethods()
        .map(({ name }) => name)
        .sort(),
    );
  });

  it.each(['cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'] as const)(
    'to %s are answered as the table says, for every token and method',
    async (target) => {
      const rows = tokensFor(target).flatMap((token) => NEEDS.map((need) => ({ token, need })));
      const faults: string[] = [];
      let reached = 0;
      const before = handled.length;
      const lane = async (): Promise<void> => {
        for (let row = rows.pop(); row; row = rows.pop()) {
          const want = expected(target, row.need.scope, row.token);
          const code = await send('lifecycle', target, row.need, row.token.text);
          if (want === 200) reached += 1;
          if (code !== want) faults.push(`${row.need.method}: ${code} for ${want}, ${JSON.stringify(row.token.holds)}`);
        }
      };
      const count = rows.length;
      await Promise.all(Array.from({ length: 16 }, lane));
      process.stdout.write(`${count} rows to ${target}, ${reached} of them let through\n`);
      expect(faults).toEqual([]);
      expect(handled.length - before).toBe(reached);
      expect(reached).toBeGreaterThan(0);
    },
  );

  it('that the matrix does not have are not carried, whatever the token', async () => {
    const may = (from: string, to: string): boolean => GRANTS[to]?.[from] !== undefined;
    const before = handled.length;
    for (const from of SERVICES) {
      for (const to of SERVICES.filter((each) => each !== from && !may(from, each))) {
        const token = forge({ service: 'lifecycle', audience: to, scopes: ALL });
        for (const need of NEEDS) {
          const error: unknown = await send(from, to, need, token).catch((refusal: unknown) => refusal);
          expect(error).toBeInstanceOf(RequestError);
          expect((error as RequestError).cause).toBeInstanceOf(PermissionViolationError);
        }
      }
    }
    expect(handled.length).toBe(before);
  });
});
