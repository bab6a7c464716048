import {
  COMPONENTS,
  platformStatusSchema,
  platformSummarySchema,
  UPGRADE_PLAN_PATH,
  upgradePlanSchema,
  type PlatformStatus,
} from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { eventually, freePort } from '@crate/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformBench } from '../testing/platform-bench.js';

const PATH = '/platform/status';
const PATIENT = { timeoutMs: 60_000 };

let bench: PlatformBench;
let admin: string;
beforeAll(async () => {
  bench = await PlatformBench.start();
  admin = bench.tokenFor(PLATFORM_ADMIN_GROUP);
  await bench.startLifecycle();
  for (const service of ['cloud-mgmt', 'policy-mgmt']) await bench.startNeighbour(service, {});
});
afterAll(async () => bench.close());

async function status(port = bench.apiPort): Promise<PlatformStatus> {
  const { status: code, body } = await bench.call({ path: PATH, token: admin }, port);
  expect(code).toBe(200);
  return body as unknown as PlatformStatus;
}

async function service(name: string, port?: number): Promise<PlatformStatus['services'][number]> {
  const found = (await status(port)).services.find((each) => each.name === name);
  if (!found) throw new Error(`${name} is not shown`);
  return found;
}

// One story on one platform.
describe('how the platform is', () => {
  it('is told as promised, with what is there and what was never heard of', async () => {
    const found = await eventually(async () => {
      const parsed = platformStatusSchema.parse(await status());
      expect(parsed.services.map(({ name, state }) => `${name} ${state}`)).toEqual([
        'lifecycle Ready',
        'cloud-mgmt Ready',
        'cluster-mgmt Unknown',
        'policy-mgmt Ready',
      ]);
      // What a service that has just begun could not tell within its second is a problem, too, but not for long.
      expect(parsed.services.flatMap(({ missing }) => missing)).toEqual([]);
      return parsed;
    }, PATIENT);
    expect(found).toMatchObject({ health: 'Failing', nats: { connected: true, jetStream: { used: false } } });
    // The certificate of the test is for two days.
    expect(found.problems).toMatchObject([
      { severity: 'critical', subject: 'cluster-mgmt' },
      { severity: 'warning', subject: 'lifecycle/api' },
    ]);
    expect(found.postgres).toMatchObject([{ role: 'primary', services: ['lifecycle', 'cloud-mgmt', 'policy-mgmt'] }]);
    expect(found.certificates).toMatchObject([{ service: 'lifecycle', use: 'api' }]);
    expect(found.services[0]?.queues.map(({ reconciler }) => reconciler)).toContain('cluster');
    expect(Math.abs(found.clockSkewMs ?? Infinity)).toBeLessThan(30_000);
  });

  it('is read by administrators as a whole, by others in short, and by nobody else', async () => {
    const token = bench.tokenOf('vera', []);
    const short = await bench.call({ path: PATH, token });
    expect(short.status).toBe(200);
    expect(platformSummarySchema.strict().parse(short.body)).toMatchObject({ detail: 'summary', health: 'Failing' });
    expect((await bench.call({ path: PATH })).status).toBe(401);
    expect((await bench.call({ path: PATH, token: admin, method: 'POST', body: {} })).status).toBe(405);
    expect((await bench.call({ path: `${PATH}?colour=blue`, token: admin })).status).toBe(400);
  });

  it('goes with what an upgrade would lead to, for administrators only', async () => {
    const path = `${UPGRADE_PLAN_PATH}?to=9.9.9`;
    const { status: code, body } = await bench.call({ path, token: admin });
    expect(code).toBe(200);
    const { to, steps } = upgradePlanSchema.strict().parse(body);
    expect([to, ...steps.map(({ component }) => component)]).toEqual(['9.9.9', ...COMPONENTS]);
    expect(steps.flatMap(({ problems }) => problems.map(({ reason }) => reason))).toEqual(
      COMPONENTS.map(() => 'InstalledFromOutside'),
    );
    expect((await bench.call({ path, token: bench.tokenOf('vera', []) })).status).toBe(403);
    expect((await bench.call({ path })).status).toBe(401);
    expect((await bench.call({ path, token: admin, method: 'POST', body: {} })).status).toBe(405);
    for (const wrong of ['?to=latest', '?colour=blue'])
      expect((await bench.call({ path: `${UPGRADE_PLAN_PATH}${wrong}`, token: admin })).status).toBe(400);
  });

  it('shows a replica that is added, and one that ended in order', async () => {
    const replica = await bench.startNeighbour('cloud-mgmt', {});
    const becomes = (...want: readonly string[]): Promise<void> =>
      eventually(async () => {
        const { state, replicas } = await service('cloud-mgmt');
        expect([state, replicas.map((each) => each.state).sort()]).toEqual(['Ready', want]);
      }, PATIENT);
    await becomes('Ready', 'Ready');
    await replica.stop();
    await becomes('Ready', 'Stopped');
  });

  it('keeps a service that is gone, also for a replica of lifecycle that never heard it', async () => {
    const before = await service('policy-mgmt');
    await bench.stopService('policy-mgmt');
    await eventually(async () => {
      expect(await service('policy-mgmt')).toMatchObject({
        state: 'Silent',
        answered: false,
        message: expect.stringContaining('not available'),
        replicas: [{ name: before.replicas[0]?.name, startedAt: before.replicas[0]?.startedAt }],
      });
    }, PATIENT);
    const port = await freePort();
    await bench.startLifecycle({}, port);
    await eventually(async () => expect((await service('policy-mgmt', port)).state).toBe('Silent'), PATIENT);
    expect((await service('policy-mgmt', port)).replicas).toHaveLength(1);

    await bench.startNeighbour('policy-mgmt', {});
    for (const each of [bench.apiPort, port]) {
      await eventually(async () => expect((await service('policy-mgmt', each)).state).toBe('Ready'), PATIENT);
    }
  });

  it('is answered in time while a service is stuck', async () => {
    await bench.stopService('policy-mgmt');
    const never = (): Promise<never> => new Promise(() => undefined);
    await bench.startNeighbour('policy-mgmt', {
      methods: { status: { scope: 'status:read', handle: never } },
    });
    await eventually(async () => expect((await service('policy-mgmt')).message).toMatch(/^No answer within/), PATIENT);
    // The others may be too busy to answer in time, too, but not each time.
    await eventually(async () => {
      const begun = performance.now();
      expect((await status()).services.filter(({ answered }) => answered)).toHaveLength(2);
      expect(performance.now() - begun).toBeLessThan(5_000);
    }, PATIENT);
  });
});
