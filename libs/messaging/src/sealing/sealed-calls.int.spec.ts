import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObjectInput } from '@crate/api';
import { rotateSealingKey } from '@crate/auth';
import { invalidSpec } from '@crate/errors';
import type { CallContext, ResourceRef, ResourceType, SubresourceWrite, WriteResult } from '@crate/resource-client';
import { newTraceId } from '@crate/telemetry';
import type { NatsSpy } from '@crate/testing';
import { eventually } from '@crate/testing';
import type { NatsServiceCaller } from '../call/nats-service-caller.js';
import { NatsResourceApi } from '../resources/nats-resource-api.js';
import { resourceMethods } from '../resources/resource-methods.js';
import { FakeResourceApi, WIDGETS } from '../testing/fake-resource-api.js';
import { TestPlatform } from '../testing/platform.js';
import type { KindSecrecy } from './secrecy.js';

const SECRET = 'hunter2-in-the-clear';
const SECRECY: KindSecrecy = { hasSecretFields: true, secretSubresources: new Set(['key']) };
const REF: ResourceRef = { ...WIDGETS, name: 'a' };

/** Takes secrets in and gives them out; notes what arrived. */
class SecretKeeper extends FakeResourceApi {
  readonly arrived: unknown[] = [];

  override create(type: ResourceType, object: KubeObjectInput): Promise<WriteResult> {
    this.arrived.push(object);
    if (object.metadata['name'] === 'bad') throw invalidSpec(`${SECRET} is no good`, []);
    return super.create(type, object);
  }

  override patch(ref: ResourceRef, patch: unknown): Promise<WriteResult> {
    this.arrived.push(patch);
    return super.patch(ref, patch);
  }

  override readSubresource(_: ResourceRef, subresource: string): Promise<unknown> {
    return Promise.resolve(subresource === 'key' ? { key: SECRET } : { [subresource]: '' });
  }

  override writeSubresource(_: ResourceRef, subresource: string, write: SubresourceWrite): Promise<unknown> {
    this.arrived.push(write.body);
    return Promise.resolve({ [subresource]: SECRET });
  }
}

describe('secrets between services', () => {
  const context: CallContext = { caller: { user: 'ada', groups: [] }, traceId: newTraceId() };
  let platform: TestPlatform;
  let calls: NatsServiceCaller;
  let remote: NatsResourceApi;
  let owner: SecretKeeper;
  let spy: NatsSpy;

  beforeAll(async () => {
    platform = await TestPlatform.start();
    calls = await platform.caller('lifecycle');
    remote = new NatsResourceApi(calls, 'policy-mgmt', { secrecyOf: () => SECRECY });
    owner = new SecretKeeper();
    await platform.serve('policy-mgmt', ({ closing }) =>
      resourceMethods({ api: owner, closing, maxPayloadBytes: 1024 * 1024, secrecyOf: () => SECRECY }),
    );
    spy = await platform.spy();
  });

  afterAll(async () => {
    spy.stop();
    await platform.stop();
  });

  afterEach(() => {
    owner.arrived.splice(0);
  });

  /** Everything that crossed NATS until now: the spy hears it in order, and a last word of ours after it. */
  async function heard(): Promise<string> {
    const lastWord = newTraceId();
    await remote.readSubresource(REF, lastWord, context);
    await eventually(() => spy.heard.includes(`{"${lastWord}"`));
    return spy.heard.toString();
  }

  it('would hear a secret that is sent in the clear', async () => {
    const marker = 'not-a-secret';
    await remote.readSubresource(REF, marker, context);
    expect(await heard()).toContain(marker);
  });

  it('seals what is written to a kind with secret fields, and what a failure says of it', async () => {
    const object = { ...owner.draft, spec: { password: SECRET } };
    await remote.create(WIDGETS, object, {}, context);
    expect(owner.arrived).toEqual([object]);
    const bad = remote.create(WIDGETS, { ...object, metadata: { name: 'bad' } }, {}, context);
    await expect(bad).rejects.toMatchObject({ code: 'InvalidSpec', message: expect.stringContaining(SECRET) });
    expect((await heard()).includes(SECRET)).toBe(false);
  });

  it('seals patches of every type', async () => {
    const patch = [{ op: 'replace', path: '/spec/password', value: SECRET }];
    await remote.patch(REF, patch, { type: 'json' }, context);
    expect(owner.arrived).toEqual([patch]);
    expect((await heard()).includes(SECRET)).toBe(false);
  });

  it('seals what a secret subresource takes and gives', async () => {
    expect(await remote.readSubresource(REF, 'key', context)).toEqual({ key: SECRET });
    const write = { verb: 'create', body: { token: SECRET } } as const;
    expect(await remote.writeSubresource(REF, 'key', write, context)).toEqual({ key: SECRET });
    expect(owner.arrived).toEqual([write.body]);
    expect((await heard()).includes(SECRET)).toBe(false);
  });

  it('leaves everything else readable', async () => {
    owner.put('plain', { colour: 'a-readable-colour' });
    await remote.get({ ...WIDGETS, name: 'plain' }, context);
    expect(await heard()).toContain('a-readable-colour');
  });

  it('refuses a write of secrets that came in the clear', async () => {
    const body = { type: WIDGETS, object: owner.draft, options: {} };
    const call = calls.call('policy-mgmt', 'resources.create', body, context);
    await expect(call).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringContaining('sealed') });
    expect(owner.arrived).toEqual([]);
  });

  it('does not take a sealed request a second time for another call', async () => {
    await remote.create(WIDGETS, { ...owner.draft, spec: { password: SECRET } }, {}, context);
    const [, sealed] = /"sealed":"(v1[^"]+)"/.exec((await heard()).slice(-20_000)) ?? [];
    owner.arrived.splice(0);
    const body = { type: WIDGETS, options: {}, sealed };
    const replay = calls.call('policy-mgmt', 'resources.create', body, context);
    await expect(replay).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining('does not open'),
    });
    expect(owner.arrived).toEqual([]);
  });

  it('goes on while keys are replaced on both sides', async () => {
    for (const service of ['lifecycle', 'policy-mgmt']) await rotateSealingKey(platform.keyDirectories, service);
    expect(await remote.readSubresource(REF, 'key', context)).toEqual({ key: SECRET });
    await remote.create(WIDGETS, owner.draft, {}, context);
    expect(owner.arrived).toHaveLength(1);
  });

  it('sends no secret to a service that has no key', async () => {
    const file = join(platform.keyDirectories.trustDir, 'policy-mgmt.sealing.jwks.json');
    await rename(file, `${file}.away`);
    const fresh = new NatsResourceApi(await platform.caller('lifecycle'), 'policy-mgmt', { secrecyOf: () => SECRECY });
    const write = fresh.create(WIDGETS, { ...owner.draft, spec: { password: SECRET } }, {}, context);
    await expect(write).rejects.toMatchObject({ details: { reason: 'SealingKeyMissing' } });
    await rename(`${file}.away`, file);
    expect(owner.arrived).toEqual([]);
    expect((await heard()).includes(SECRET)).toBe(false);
  });

  it('gives no secret to a caller that has no key', async () => {
    await rm(join(platform.keyDirectories.trustDir, 'lifecycle.sealing.jwks.json'));
    await eventually(
      async () =>
        expect(remote.readSubresource(REF, 'key', context)).rejects.toMatchObject({
          details: { reason: 'SealingKeyMissing' },
        }),
      { timeoutMs: 60_000 },
    );
    expect((await heard()).includes(SECRET)).toBe(false);
  });
});
