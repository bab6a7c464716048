import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { COMPONENTS, findCondition, type Component, type PlatformService } from '@crate/api';
import { PlatformError } from '@crate/errors';
import { InMemoryEventRecorder, type ReconcileContext } from '@crate/reconcile';
import { ComponentReconciler } from './component.reconciler.js';
import { Installer, type Installation, type WantedInstallation } from './installer.js';
import { aComponent, aService, aSlot, INDEX, NOW } from './testing/a-component.js';
import { InMemoryUpgradeLock } from './upgrade-lock.js';

const CONTEXT = { traceId: 'trace' } as ReconcileContext;
const UPGRADE = { version: '1.1.0', strategy: { canarySoakSeconds: 0, soakSeconds: 0, progressDeadlineSeconds: 60 } };

/** Does at once what it is told. */
class ObedientInstaller extends Installer {
  readonly wishes: [string, WantedInstallation][] = [];
  /** A version that ends whenever it is started. */
  broken: string | undefined;
  /** What both methods throw. */
  problems: { observe?: Error | undefined; ensure?: Error | undefined } = {};

  override observe(name: string): Promise<Installation> {
    if (this.problems.observe) return Promise.reject(this.problems.observe);
    const last = this.wishes.findLast(([component]) => component === name)?.[1];
    const version = last?.version ?? '1.0.0';
    const regular = last?.next?.stage === 'All' ? last.next.version : version;
    const slots = [this.slot(name, regular, false), ...(last?.next ? [this.slot(name, last.next.version, true)] : [])];
    return Promise.resolve({ version, slots, present: ['1.0.0', '1.1.0'], isUnderWay: last?.next !== undefined });
  }

  override ensure(name: string, wanted: WantedInstallation): Promise<void> {
    if (this.problems.ensure) return Promise.reject(this.problems.ensure);
    this.wishes.push([name, wanted]);
    return Promise.resolve();
  }

  private slot(name: string, version: string, isCanary: boolean): ReturnType<typeof aSlot> {
    const isBroken = version === this.broken;
    const state = { isCanary, isReady: !isBroken, restarts: isBroken ? 5 : 0, lastWords: isBroken ? 'Bad table' : '' };
    return aSlot(isCanary ? `${name}-2` : name, version, state);
  }
}

let stored: Map<string, Component>;
let installer: ObedientInstaller;
let lock: InMemoryUpgradeLock;
let events: InMemoryEventRecorder;
let writes: number;
beforeEach(() => {
  stored = new Map(COMPONENTS.map((name) => [name, aComponent(name, { spec: {} })]));
  installer = new ObedientInstaller();
  lock = new InMemoryUpgradeLock(NOW);
  events = new InMemoryEventRecorder();
  writes = 0;
});
afterEach(() => {
  jest.useRealTimers();
});

const components = {
  find: (name: string) => Promise.resolve(stored.get(name)),
  list: () => Promise.resolve([...stored.values()]),
  saveStatus: (object: Component, status: unknown) => {
    writes += 1;
    const saved = { ...object, status } as Component;
    stored.set(object.metadata.name, saved);
    return Promise.resolve(saved);
  },
};

async function services(): Promise<readonly PlatformService[]> {
  return Promise.all(
    COMPONENTS.map(async (name) => {
      const { slots } = await installer.observe(name).catch(() => ({ slots: [] }));
      return aService(
        name,
        slots.filter(({ isReady }) => isReady).map(({ version }) => version),
      );
    }),
  );
}

function reconciler(): ComponentReconciler {
  return new ComponentReconciler({
    ...{ components, installer, lock, services, events },
    index: () => INDEX,
    publish: (name) => Promise.resolve(ask(name, {})),
  });
}

const pass = (name: string): ReturnType<ComponentReconciler['reconcile']> =>
  reconciler().reconcile({ name } as never, CONTEXT);

function ask(name: string, spec: object): void {
  stored.set(name, aComponent(name, { spec }));
}

const upToDate = (name: string): unknown => findCondition(stored.get(name)?.status?.conditions, 'UpToDate')?.reason;

describe('ComponentReconciler', () => {
  it('shows what runs and what is offered, and writes nothing when it looks again', async () => {
    expect(await pass('cloud-mgmt')).toMatchObject({ kind: 'waiting' });
    expect(stored.get('cloud-mgmt')?.status).toMatchObject({
      installedVersion: '1.0.0',
      availableVersions: [{ version: '1.1.0', present: true }],
      replicas: [{ version: '1.0.0', ready: 1, total: 1 }],
    });
    await pass('cloud-mgmt');
    expect([writes, installer.wishes]).toEqual([1, []]);
  });

  it('makes what is gone anew, takes back what was tried, and holds nobody off', async () => {
    ask('policy-mgmt', UPGRADE);
    ask('cloud-mgmt', UPGRADE);
    await pass('policy-mgmt');
    stored.delete('policy-mgmt');
    expect(await pass('policy-mgmt')).toMatchObject({ isGone: true });
    expect(stored.get('policy-mgmt')?.spec.version).toBeUndefined();
    await pass('policy-mgmt');
    expect(installer.wishes.at(-1)).toEqual(['policy-mgmt', { version: '1.0.0' }]);
    await pass('cloud-mgmt');
    expect(upToDate('cloud-mgmt')).toBe('Upgrading');
  });

  it('goes through all steps, and holds others off meanwhile', async () => {
    ask('policy-mgmt', UPGRADE);
    ask('cloud-mgmt', UPGRADE);
    await pass('policy-mgmt');
    await pass('cloud-mgmt');
    expect([upToDate('policy-mgmt'), upToDate('cloud-mgmt'), lock.holder]).toEqual([
      'Upgrading',
      'WaitingForOther',
      'policy-mgmt',
    ]);
    for (const step of ['Rolling', 'Soaking']) {
      await pass('policy-mgmt');
      expect(stored.get('policy-mgmt')?.status?.rollout?.step).toBe(step);
    }
    await pass('policy-mgmt');
    expect([upToDate('policy-mgmt'), lock.holder, stored.get('policy-mgmt')?.status?.installedVersion]).toEqual([
      'UpToDate',
      undefined,
      '1.1.0',
    ]);
    await pass('cloud-mgmt');
    expect(upToDate('cloud-mgmt')).toBe('Upgrading');
  });

  it('soaks for as long as it should, however far the clocks of two replicas are apart', async () => {
    ask('policy-mgmt', { ...UPGRADE, strategy: { ...UPGRADE.strategy, canarySoakSeconds: 60 } });
    for (const ahead of [0, 0, 600_000]) {
      jest.useFakeTimers({ now: NOW.getTime() + ahead });
      await pass('policy-mgmt');
      expect(stored.get('policy-mgmt')?.status?.rollout?.step).toBe('Canary');
    }
  });

  it('begins one of two that are looked at in the same moment', async () => {
    ask('policy-mgmt', UPGRADE);
    await lock.acquire('cluster-mgmt');
    await pass('policy-mgmt');
    expect([upToDate('policy-mgmt'), installer.wishes]).toEqual(['WaitingForOther', []]);
  });

  it('gives the lock back that a pass took and died with', async () => {
    await lock.acquire('policy-mgmt');
    await pass('policy-mgmt');
    expect(lock.holder).toBeUndefined();
  });

  it('puts the version before back when the new one crashes, tells why, and leaves it at that', async () => {
    installer.broken = '1.1.0';
    ask('policy-mgmt', UPGRADE);
    for (let passes = 0; passes < 4; passes += 1) await pass('policy-mgmt');
    const { rollout, history } = stored.get('policy-mgmt')?.status ?? {};
    expect([rollout, history]).toEqual([
      undefined,
      [expect.objectContaining({ outcome: 'RolledBack', reason: 'Crashing', to: '1.1.0' })],
    ]);
    expect(installer.wishes.at(-1)).toEqual(['policy-mgmt', { version: '1.0.0' }]);
    expect(findCondition(stored.get('policy-mgmt')?.status?.conditions, 'UpToDate')).toMatchObject({
      reason: 'RolledBack',
      message: expect.stringMatching(/Crashing: .*Bad table/),
    });
    expect(events.reasons).toEqual(['Normal Upgrading', 'Warning RollingBack', 'Warning RolledBack']);
    await pass('policy-mgmt');
    expect(upToDate('policy-mgmt')).toBe('RolledBack');
  });

  it.each(['observe', 'ensure'] as const)(
    'begins nothing while the installer does not answer when asked to %s, says so, and goes on after that',
    async (method) => {
      ask('policy-mgmt', UPGRADE);
      installer.problems = { [method]: new PlatformError('Unavailable', 'The API server does not answer') };
      expect(await pass('policy-mgmt')).toMatchObject({ kind: 'waiting', reason: 'InstallerUnreachable' });
      const { rollout, conditions } = stored.get('policy-mgmt')?.status ?? {};
      expect([rollout, lock.holder, installer.wishes]).toEqual([undefined, undefined, []]);
      expect(findCondition(conditions, 'UpToDate')).toMatchObject({
        ...{ status: 'False', reason: 'InstallerUnreachable', message: 'The API server does not answer' },
      });

      installer.problems = {};
      for (let passes = 0; passes < 5; passes += 1) await pass('policy-mgmt');
      expect(upToDate('policy-mgmt')).toBe('UpToDate');
    },
  );

  it('stays at its step while the installer does not answer, however long that is', async () => {
    ask('policy-mgmt', UPGRADE);
    await pass('policy-mgmt');
    const { rollout } = stored.get('policy-mgmt')?.status ?? {};
    installer.problems = { ensure: new PlatformError('Forbidden', 'statefulsets is forbidden') };
    await pass('policy-mgmt');
    expect(stored.get('policy-mgmt')?.status?.rollout).toEqual({ ...rollout, heldSince: expect.any(String) });
    expect(findCondition(stored.get('policy-mgmt')?.status?.conditions, 'UpToDate')).toMatchObject({
      reason: 'InstallerForbidden',
      message: 'From 1.0.0 to 1.1.0: Canary: statefulsets is forbidden',
    });
    expect(lock.holder).toBe('policy-mgmt');
  });

  it('looks again, and says nothing, when somebody was faster', async () => {
    ask('policy-mgmt', UPGRADE);
    installer.problems = { ensure: new PlatformError('Conflict', 'It was changed') };
    await expect(pass('policy-mgmt')).rejects.toMatchObject({ code: 'Conflict' });
    expect([writes, stored.get('policy-mgmt')?.status?.rollout]).toEqual([0, undefined]);
  });

  it('comes to the same when it is killed before it could write what it came to', async () => {
    ask('policy-mgmt', UPGRADE);
    for (let passes = 0; passes < 12; passes += 1) {
      const before = stored.get('policy-mgmt') as Component;
      await pass('policy-mgmt');
      // Every second pass dies.
      if (passes % 2 === 0) stored.set('policy-mgmt', before);
    }
    expect(stored.get('policy-mgmt')?.status?.history).toMatchObject([{ outcome: 'Succeeded' }]);
    expect(installer.wishes.at(-1)).toEqual(['policy-mgmt', { version: '1.1.0' }]);
  });
});
