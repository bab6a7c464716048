import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { subjects, TOKEN_HEADER } from '@crate/auth';
import type { CallContext, KindInfo } from '@crate/resource-client';
import { newTraceId } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { headers, type NatsConnection } from '@nats-io/nats-core';
import { NatsServiceCaller } from '../call/nats-service-caller.js';
import { resourceMethods } from '../resources/resource-methods.js';
import { FakeResourceApi } from '../testing/fake-resource-api.js';
import { TestPlatform } from '../testing/platform.js';
import { ServiceAnnouncer } from './service-announcer.js';
import { ServiceDirectory } from './service-directory.js';

const MINUTE_MS = 60_000;

describe('ServiceDirectory', () => {
  const context: CallContext = { caller: { user: 'ada', groups: [] }, traceId: newTraceId() };
  let platform: TestPlatform;
  let directory: ServiceDirectory;
  let directoryConnection: NatsConnection;
  let now: number;

  beforeEach(async () => {
    now = Date.now();
    platform = await TestPlatform.start();
    directory = await startDirectory();
  });

  afterEach(async () => platform.stop());

  async function startDirectory(
    clock: { readonly now?: () => number } = { now: () => now },
  ): Promise<ServiceDirectory> {
    const connection = await platform.connect('lifecycle');
    const made = new ServiceDirectory({
      connection,
      calls: new NatsServiceCaller(connection, platform.issuer('lifecycle'), platform.sealer('lifecycle')),
      verifier: platform.verifier('lifecycle'),
      registry: platform.registry,
      heard: platform.registry.calleesOf('lifecycle'),
      logger: platform.logger,
      ...clock,
    });
    made.start();
    await connection.flush();
    directoryConnection = connection;
    return made;
  }

  async function announce(service: string, kinds: readonly KindInfo[]): Promise<ServiceAnnouncer> {
    const connection = await platform.connect(service);
    const tokens = platform.issuer(service);
    const announcer = new ServiceAnnouncer({ connection, service, tokens, kinds, logger: platform.logger });
    announcer.start();
    await connection.flush();
    return announcer;
  }

  const plurals = (): string[] => directory.kinds().map((kind) => kind.plural);

  it('learns kinds when a service starts, and reaches their owner', async () => {
    const owner = new FakeResourceApi();
    owner.put('a');
    await platform.serve('policy-mgmt', ({ closing }) =>
      resourceMethods({ api: owner, closing, maxPayloadBytes: 1024 * 1024, secrecyOf: () => undefined }),
    );
    await announce('policy-mgmt', [kind('policy.crate.dev', 'widgets')]);
    await eventually(() => expect(plurals()).toEqual(['widgets']));

    const route = directory.find('policy.crate.dev', 'v1alpha1', 'widgets');

    expect(route?.kind.schema).toEqual({ type: 'object' });
    const ref = { group: 'policy.crate.dev', version: 'v1alpha1', plural: 'widgets', name: 'a' };
    expect((await route?.api.get(ref, context))?.metadata.name).toBe('a');
    expect(directory.find('policy.crate.dev', 'v1', 'widgets')).toBeUndefined();
  });

  it('learns at its own start what runs already', async () => {
    await announce('cloud-mgmt', [kind('cloud.crate.dev', 'infrastructures')]);
    await announce('policy-mgmt', [kind('policy.crate.dev', 'policies')]);
    directory.stop();

    directory = await startDirectory();

    await eventually(() => expect(plurals()).toEqual(['infrastructures', 'policies']));
  });

  it('puts local kinds beside the announced ones', async () => {
    directory.addLocal([kind('lifecycle.crate.dev', 'clusters')], new FakeResourceApi());
    await announce('cloud-mgmt', [kind('cloud.crate.dev', 'infrastructures')]);
    await eventually(() => expect(plurals()).toEqual(['infrastructures', 'clusters']));
  });

  it('gives the same list until something changes', async () => {
    await announce('cloud-mgmt', [kind('cloud.crate.dev', 'infrastructures')]);
    await eventually(() => plurals().length === 1);
    const before = directory.kinds();
    const spy = await platform.connect('lifecycle');
    let heard = 0;
    spy.subscribe(subjects.announce('cloud-mgmt'), { callback: () => void (heard += 1) });
    spy.publish(subjects.discovery);
    await eventually(() => heard === 1);
    // A round trip on the directory's own connection: what was sent to it before has been handled.
    await directoryConnection.flush();
    expect(directory.kinds()).toBe(before);
  });

  it('refuses a group that belongs to another service', async () => {
    await announce('cloud-mgmt', [kind('lifecycle.crate.dev', 'clusters')]);
    await eventually(() => refusals().length === 1);
    expect(directory.kinds()).toEqual([]);
  });

  it.each([
    { name: 'no token', token: () => undefined },
    { name: "another service's token", token: () => platform.issuer('policy-mgmt').issueAnnouncement() },
    {
      name: 'a token for a call',
      token: () => platform.issuer('cloud-mgmt').issue('policy-mgmt', { user: 'ada', groups: [] }),
    },
  ])('refuses an announcement with $name', async ({ token }) => {
    const connection = await platform.connect('cloud-mgmt');
    const signed = headers();
    const text = token();
    if (text !== undefined) signed.set(TOKEN_HEADER, text);
    const body = JSON.stringify({ replica: 'r', kinds: [kind('cloud.crate.dev', 'infrastructures')] });
    connection.publish(subjects.announce('cloud-mgmt'), body, { headers: signed });
    await eventually(() => refusals().length === 1);
    expect(directory.kinds()).toEqual([]);
  });

  it('drops what only a dead replica served, while another lives', async () => {
    const old = await announce('cloud-mgmt', [kind('cloud.crate.dev', 'oldkinds')]);
    await announce('cloud-mgmt', [kind('cloud.crate.dev', 'infrastructures')]);
    await eventually(() => plurals().length === 2);
    old.stop();

    now += MINUTE_MS;
    const connection = await platform.connect('lifecycle');
    connection.publish(subjects.discovery);

    await eventually(() => expect(plurals()).toEqual(['infrastructures']));
  });

  it('keeps the kinds of a service that is down for some minutes, and says Unavailable for them', async () => {
    const announcer = await announce('cloud-mgmt', [kind('cloud.crate.dev', 'infrastructures')]);
    await eventually(() => plurals().length === 1);
    announcer.stop();

    now += 9 * MINUTE_MS;
    const route = directory.find('cloud.crate.dev', 'v1alpha1', 'infrastructures');
    const ref = { group: 'cloud.crate.dev', version: 'v1alpha1', plural: 'infrastructures', name: 'a' };
    await expect(route?.api.get(ref, context)).rejects.toMatchObject({ code: 'Unavailable' });

    now += 2 * MINUTE_MS;
    expect(directory.kinds()).toEqual([]);
    expect(directory.awayOwner('cloud.crate.dev')).toBe('cloud-mgmt');
  });

  it('knows whose a group is of whose service nothing was heard, and of no other one', async () => {
    directory.addLocal([kind('lifecycle.crate.dev', 'clusters')], new FakeResourceApi());
    expect(directory.awayOwner('cloud.crate.dev')).toBe('cloud-mgmt');
    expect(directory.awayOwner('nobody.example.com')).toBeUndefined();
    expect(directory.awayOwner('lifecycle.crate.dev')).toBeUndefined();

    await announce('cloud-mgmt', [kind('cloud.crate.dev', 'infrastructures')]);
    await eventually(() => expect(plurals()).toEqual(['infrastructures', 'clusters']));
    expect(directory.awayOwner('cloud.crate.dev')).toBeUndefined();
  });

  it('forgets nobody because the machine slept', async () => {
    directory = await startDirectory({});
    await announce('cloud-mgmt', [kind('cloud.crate.dev', 'infrastructures')]);
    await eventually(() => plurals().length === 1);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * MINUTE_MS);

    expect(plurals()).toEqual(['infrastructures']);
    clock.mockRestore();
  });

  const refusals = (): unknown[] =>
    platform.logger.at('warn').filter(({ message }) => message === 'Ignoring an announcement');
});

function kind(group: string, plural: string): KindInfo {
  return {
    group,
    version: 'v1alpha1',
    kind: plural,
    plural,
    singular: plural,
    shortNames: [],
    categories: [],
    namespaced: true,
    description: '',
    printerColumns: [],
    hasStatus: true,
    selectableFields: [],
    subresources: [],
    schema: { type: 'object' },
  };
}
