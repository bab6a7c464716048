import { createHmac, createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALL_MATRIX, inboxPrefix, SERVICES, subjects, TOKEN_HEADER, type ServiceName } from '@crate/auth';
import type { CallContext } from '@crate/resource-client';
import { newTraceId } from '@crate/telemetry';
import { headers, PermissionViolationError, type NatsConnection } from '@nats-io/nats-core';
import { connectNats } from '../connection/connect-nats.js';
import type { NestReply } from './wire.js';
import { NatsServiceCaller } from './nats-service-caller.js';
import { PASSWORD, TestPlatform } from '../testing/platform.js';

const edges = SERVICES.flatMap((from) => SERVICES.map((to): [ServiceName, ServiceName] => [from, to]));
const allowed = edges.filter(([from, to]) => CALL_MATRIX[from].includes(to));
const forbidden = edges.filter(([from, to]) => !CALL_MATRIX[from].includes(to) && from !== to);

/** Both walls are tried on their own: NATS with a real token, the receiver from a connection that may do everything. */
describe('the call matrix over NATS', () => {
  const context: CallContext = { caller: { user: 'ada', groups: [] }, traceId: newTraceId() };
  const connections = new Map<string, NatsConnection>();
  let platform: TestPlatform;
  let handled = 0;

  beforeAll(async () => {
    platform = await TestPlatform.start();
    for (const service of SERVICES) {
      connections.set(service, await platform.connect(service));
      const method = { scope: 'resources:read', handle: async () => (handled += 1) } as const;
      const review = { ...method, scope: 'policy:review' } as const;
      await platform.serve(service, () => ({ read: method, review }));
    }
  });

  afterAll(async () => platform.stop());

  const connectionOf = (service: string): NatsConnection => connections.get(service) as NatsConnection;

  /** What the receiver answers to a request with exactly this token. */
  async function answerTo(token: string, from: ServiceName, to: ServiceName, method = 'review'): Promise<NestReply> {
    const withToken = headers();
    withToken.set(TOKEN_HEADER, token);
    const subject = subjects.method(to, method);
    const body = JSON.stringify({ pattern: subject, data: {}, id: '1' });
    const reply = await connectionOf(from).request(subject, body, { timeout: 30_000, headers: withToken });
    return reply.json<NestReply>();
  }

  it.each(allowed)('%s reaches %s', async (from, to) => {
    const before = handled;
    const calls = new NatsServiceCaller(connectionOf(from), platform.issuer(from), platform.sealer(from));
    await calls.call(to, from === 'lifecycle' ? 'read' : 'review', {}, context);
    expect(handled).toBe(before + 1);
  });

  it.each(forbidden)('NATS does not carry a request from %s to %s', async (from, to) => {
    const before = handled;
    await expect(answerTo('any', from, to)).rejects.toMatchObject({ cause: expect.any(PermissionViolationError) });
    expect(handled).toBe(before);
  });

  it.each(forbidden)('no service but %2$s hears what is sent to %2$s, so %s does not', async (from, to) => {
    const spy = connectionOf(from).subscribe(subjects.methods(to));
    expect(await spy.closed).toBeInstanceOf(PermissionViolationError);
  });

  it.each(forbidden)('%s cannot speak as %s in hints and announcements', async (from, to) => {
    const connection = connectionOf(from);
    for (const subject of [subjects.hints(to), subjects.announce(to)]) {
      const refusal = nextRefusal(connection);
      connection.publish(subject, '[]');
      expect((await refusal).subject).toBe(subject);
    }
  });

  it.each(forbidden)('%s cannot read the answers meant for %s', async (from, to) => {
    const spy = connectionOf(from).subscribe(`${inboxPrefix(to)}.>`);
    expect(await spy.closed).toBeInstanceOf(PermissionViolationError);
  });

  it('a service cannot publish into an inbox unasked', async () => {
    const refusal = nextRefusal(connectionOf('policy-mgmt'));
    connectionOf('policy-mgmt').publish(`${inboxPrefix('lifecycle')}.x`, 'forged');
    expect((await refusal).operation).toBe('publish');
  });

  it('NATS refuses a wrong password at once', async () => {
    const { url } = platform.nats;
    const options = { url, user: 'lifecycle', password: `${PASSWORD}x`, name: 'x', inboxPrefix: 'x' };
    await expect(connectNats({ ...options, logger: platform.logger })).rejects.toMatchObject({
      code: 'Unauthenticated',
    });
  });

  describe('at the receiver, with a message that NATS carried', () => {
    const refusal = { ok: false, status: { code: 401, message: 'Unauthorized' } };

    it('no token is Unauthenticated', async () => {
      const subject = subjects.method('policy-mgmt', 'review');
      const body = JSON.stringify({ pattern: subject, data: {}, id: '1' });
      const reply = await connectionOf('lifecycle').request(subject, body, { timeout: 30_000 });
      expect(reply.json<NestReply>().response).toMatchObject(refusal);
    });

    it('a token for another audience is Unauthenticated', async () => {
      const token = platform.issuer('lifecycle').issue('cloud-mgmt', context.caller);
      expect((await answerTo(token, 'lifecycle', 'policy-mgmt')).response).toMatchObject(refusal);
    });

    it('alg none is Unauthenticated', async () => {
      const [head, body] = platform.issuer('lifecycle').issue('policy-mgmt', context.caller).split('.') as [
        string,
        string,
      ];
      const none = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), alg: 'none' } as object;
      const token = `${Buffer.from(JSON.stringify(none)).toString('base64url')}.${body}.`;
      expect((await answerTo(token, 'lifecycle', 'policy-mgmt')).response).toMatchObject(refusal);
    });

    it('HS256 with the public key as secret is Unauthenticated', async () => {
      const [head, body] = platform.issuer('lifecycle').issue('policy-mgmt', context.caller).split('.') as [
        string,
        string,
      ];
      const hs256 = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), alg: 'HS256' } as object;
      const forged = `${Buffer.from(JSON.stringify(hs256)).toString('base64url')}.${body}`;
      const publicKey = createPublicKey(platform.keys('lifecycle').signingKey().privateKey);
      const secret = publicKey.export({ type: 'spki', format: 'pem' });
      const token = `${forged}.${createHmac('sha256', secret).update(forged).digest('base64url')}`;
      expect((await answerTo(token, 'lifecycle', 'policy-mgmt')).response).toMatchObject(refusal);
    });

    it('a scope that the edge does not grant is Forbidden', async () => {
      const token = platform.issuer('cloud-mgmt').issue('policy-mgmt', context.caller);
      const { response } = await answerTo(token, 'cloud-mgmt', 'policy-mgmt', 'read');
      expect(response).toMatchObject({ ok: false, status: { code: 403, message: 'Forbidden' } });
    });

    it('a token is not handled, and says why in the log only', async () => {
      const before = handled;
      const answer = await answerTo('rubbish', 'lifecycle', 'policy-mgmt');
      expect(handled).toBe(before);
      expect(JSON.stringify(answer)).not.toContain('malformed');
      const line = platform.logger.at('warn').findLast(({ message }) => message === 'Refusing a call');
      expect(line?.fields.error).toMatchObject({ cause: { message: 'Token is missing or malformed' } });
    });
  });
});

async function nextRefusal(connection: NatsConnection): Promise<PermissionViolationError> {
  for await (const status of connection.status()) {
    if (status.type === 'error' && status.error instanceof PermissionViolationError) return status.error;
  }
  throw new Error('The connection was closed');
}
