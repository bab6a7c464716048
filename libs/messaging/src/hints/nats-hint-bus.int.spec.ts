import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import type { NatsConnection } from '@nats-io/nats-core';
import type { ChangeHint } from '../bus.js';
import { TestPlatform } from '../testing/platform.js';
import { NatsHintBus } from './nats-hint-bus.js';

describe('NatsHintBus', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await TestPlatform.start();
  });

  afterAll(async () => platform.stop());

  function hint(name: string, revision: string): ChangeHint {
    return { service: 'cloud-mgmt', group: 'cloud.crate.dev', kind: 'Infrastructure', namespace: 'a', name, revision };
  }

  async function bus(
    service: string,
    heard: string[],
  ): Promise<{ bus: NatsHintBus; connection: NatsConnection; got: ChangeHint[] }> {
    const connection = await platform.connect(service);
    const made = new NatsHintBus({ connection, service, heard, logger: platform.logger });
    const got: ChangeHint[] = [];
    made.subscribe((hint) => got.push(hint));
    await connection.flush();
    return { bus: made, connection, got };
  }

  async function untilDisconnected(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) if (type === 'disconnect') return;
  }

  it('reaches every replica of the services that listen, the publisher among them', async () => {
    const publisher = await bus('cloud-mgmt', ['cloud-mgmt']);
    const others = [await bus('cloud-mgmt', ['cloud-mgmt']), await bus('lifecycle', ['lifecycle', 'cloud-mgmt'])];
    publisher.bus.publish([hint('demo', '7')]);
    for (const { got } of [publisher, ...others]) await eventually(() => expect(got).toEqual([hint('demo', '7')]));
  });

  it('sends the newest of several hints on one object, in one message', async () => {
    const publisher = await bus('cloud-mgmt', ['cloud-mgmt']);
    const listener = await bus('lifecycle', ['cloud-mgmt']);
    const before = publisher.connection.stats().outMsgs;
    for (let revision = 1; revision <= 50; revision += 1) publisher.bus.publish([hint('demo', String(revision))]);
    await eventually(() => expect(listener.got).toEqual([hint('demo', '50')]));
    expect(publisher.connection.stats().outMsgs - before).toBe(1);
  });

  it('splits what one message should not hold', async () => {
    const publisher = await bus('cloud-mgmt', ['cloud-mgmt']);
    const listener = await bus('lifecycle', ['cloud-mgmt']);
    publisher.bus.publish(Array.from({ length: 1200 }, (_, index) => hint(`demo-${index}`, '1')));
    await eventually(() => listener.got.length === 1200);
  });

  it('takes the sender from the subject, not from the message, and drops rubbish', async () => {
    const publisher = await bus('cloud-mgmt', []);
    const listener = await bus('lifecycle', ['cloud-mgmt']);
    publisher.connection.publish('crate.hints.cloud-mgmt', 'rubbish');
    publisher.connection.publish(
      'crate.hints.cloud-mgmt',
      JSON.stringify([{ ...hint('x', '1'), service: 'cluster-mgmt' }]),
    );
    await eventually(() => expect(listener.got).toEqual([hint('x', '1')]));
    expect(platform.logger.at('warn').some(({ message }) => message === 'Ignoring a malformed hint')).toBe(true);
  });

  it('drops hints while NATS is away and carries new ones afterwards', async () => {
    const publisher = await bus('cloud-mgmt', ['cloud-mgmt']);
    const disconnected = untilDisconnected(publisher.connection);
    process.kill(platform.nats.pid, 'SIGKILL');
    await disconnected;
    publisher.bus.publish([hint('lost', '1')]);
    // What is gathered for a message would be sent by then.
    await delay(20);
    await platform.nats.restart();
    await eventually(() => {
      publisher.bus.publish([hint('found', '2')]);
      return publisher.got.some(({ name }) => name === 'found');
    });
    expect(publisher.got.some(({ name }) => name === 'lost')).toBe(false);
  });
});
