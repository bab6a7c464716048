import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, NatsSpy, withSpy } from '@crate/testing';
import type { ChaosPlatform } from '../platform/chaos-platform.js';

const RETRY_MS = 50;

/** Hears all that services say to each other over NATS, also after the server was killed. */
export class NatsTraffic {
  private readonly stopping = new AbortController();
  private readonly spies: NatsSpy[] = [];
  private following: Promise<void> = Promise.resolve();

  private constructor(private readonly port: number) {}

  /** Adds a user who hears everything to the running server. */
  static async of(platform: Pick<ChaosPlatform, 'directory' | 'signal'>): Promise<NatsTraffic> {
    const file = join(platform.directory, 'nats', 'nats.conf');
    await writeFile(file, withSpy(await readFile(file, 'utf8')));
    await platform.signal('nats', 'SIGHUP');
    const settings = await readFile(join(platform.directory, 'settings.json'), 'utf8');
    return NatsTraffic.on((JSON.parse(settings) as { readonly natsPort: number }).natsPort);
  }

  /** Hears a server whose configuration went through `withSpy`. */
  static async on(port: number): Promise<NatsTraffic> {
    const traffic = new NatsTraffic(port);
    const first = await eventually(() => NatsSpy.listen(port));
    traffic.following = traffic.follow(first);
    return traffic;
  }

  /** What was heard since it was asked the last time. */
  take(): Buffer {
    return Buffer.concat(this.spies.map((spy) => spy.take()));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const spy of this.spies) spy.stop();
    await this.following;
  }

  private async follow(first: NatsSpy): Promise<void> {
    let spy: NatsSpy | undefined = first;
    while (!this.stopping.signal.aborted) {
      if (spy) this.spies.push(spy);
      await spy?.ended;
      spy = await this.listenAgain();
    }
    spy?.stop();
  }

  private async listenAgain(): Promise<NatsSpy | undefined> {
    await delay(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    return this.stopping.signal.aborted ? undefined : NatsSpy.listen(this.port).catch(() => undefined);
  }
}
