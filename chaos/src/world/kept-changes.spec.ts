import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { anObject } from '../testing/a-world.js';
import { KeptChanges } from './kept-changes.js';
import type { Change, Log, Schema } from './records.js';

/** A log of Clusters that forgets when it is told to. */
class FakeLog {
  private list: Change[] = [];
  private upTo = 0;
  /** How far whoever looks has come. */
  readTo = 0;
  private isAway = false;

  write(...revisions: readonly number[]): void {
    const change = { type: 'MODIFIED' as const, kind: 'Cluster', uid: 'Cluster-1', object: anObject('Cluster') };
    this.list.push(...revisions.map((revision) => ({ ...change, revision })));
  }

  forget(upTo: number): void {
    this.upTo = upTo;
    this.list = this.list.filter(({ revision }) => revision > upTo);
  }

  beAway(isAway: boolean): void {
    this.isAway = isAway;
  }

  newest(): Promise<number> {
    return Promise.resolve(this.list.at(-1)?.revision ?? this.upTo);
  }

  async changes(_schema: Schema, kind: string, after: number): Promise<Log> {
    if (this.isAway) throw new Error('the database is being started');
    if (kind === 'Cluster') this.readTo = after;
    const changes = this.list.filter((one) => one.kind === kind && one.revision > after);
    return { changes, newest: await this.newest(), floor: this.upTo };
  }
}

let kept: KeptChanges | undefined;
afterEach(async () => kept?.stop());

/** Of Clusters, and from where on. */
async function read(): Promise<readonly [revisions: readonly number[], since: number | undefined]> {
  const { changes, since } = await kept!.read();
  return [(changes['Cluster'] ?? []).map(({ revision }) => revision), since['Cluster']];
}

describe('kept changes', () => {
  it('are those from then on, once each, also after the platform has forgotten them', async () => {
    const log = new FakeLog();
    log.write(1, 2);
    kept = await KeptChanges.fromNow(log);
    log.write(3, 4);
    expect(await read()).toEqual([[3, 4], 2]);
    log.forget(4);
    log.write(5);
    expect(await read()).toEqual([[3, 4, 5], 2]);
  });

  it('are looked for again and again by themselves, also when nobody answered', async () => {
    const log = new FakeLog();
    kept = await KeptChanges.fromNow(log);
    log.beAway(true);
    await expect(kept.read()).rejects.toThrow('being started');
    log.beAway(false);
    log.write(3);
    await eventually(() => Promise.resolve(log.readTo === 3));
    log.forget(3);
    expect(await read()).toEqual([[3], 0]);
  });

  it('say between which something is missing that was forgotten before anybody looked, and keep what was before', async () => {
    const log = new FakeLog();
    kept = await KeptChanges.fromNow(log);
    log.write(1, 2);
    await read();
    log.write(3, 4, 5);
    log.forget(4);
    expect(await read()).toEqual([[1, 2, 5], 0]);
    expect((await kept.read()).gaps['Cluster']).toEqual([{ after: 2, upTo: 4 }]);
  });
});
