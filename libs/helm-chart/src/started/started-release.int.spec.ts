import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES } from '@crate/auth';
import { Database } from '@crate/database';
import { eventually, startNats, startPostgres, type NatsServer, type PostgresServer } from '@crate/testing';
import { whyNoHelm } from '../render/program.js';
import { NAMESPACE, RELEASE, StagedChart } from '../render/staged-chart.js';
import { natsConfiguration } from '../secrets/nats-configuration.js';
import { releaseSecrets, type ReleaseSecrets } from '../secrets/release-secrets.js';
import { askApi, StartedRelease, type StartedService } from './started-release.js';

const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;
const READY = { timeoutMs: 100_000 };

suite(`the services as the chart starts them${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let release: StartedRelease;
  let secrets: ReleaseSecrets;
  let services: readonly StartedService[];

  beforeAll(async () => {
    postgres = await startPostgres();
    const database = await postgres.createDatabase();
    const { host, pathname } = new URL(database.url);
    secrets = await releaseSecrets({
      ...{ fullname: RELEASE, namespace: NAMESPACE, hosts: ['127.0.0.1'], adminDays: 1 },
      databaseUrl: `postgresql://${host}${pathname}`,
    });
    await runSql(database.url, secrets.sql ?? '');
    nats = await startNats({ config: await natsConfiguration(secrets) });
    const chart = await StagedChart.make();
    const objects = await chart.render({ messaging: { url: nats.url } });
    await chart.remove();
    release = await StartedRelease.prepare(secrets);
    const started: StartedService[] = [];
    for (const set of objects.filter(({ kind }) => kind === 'StatefulSet')) started.push(await release.start(set));
    services = started;
  });

  afterAll(async () => {
    await release.stop();
    await nats.stop();
    await postgres.stop();
  });

  it('become ready, by the probes of their pods', async () => {
    expect(services.map(({ service }) => service).sort()).toEqual([...SERVICES].sort());
    for (const { healthUrl, log } of services) {
      await eventually(async () => {
        const answer = await fetch(`${healthUrl}/readyz`).catch((error: unknown) => Promise.reject(error as Error));
        if (!answer.ok) throw new Error(await log());
      }, READY);
      expect((await fetch(`${healthUrl}/healthz`)).status).toBe(200);
      expect(await (await fetch(`${healthUrl}/metrics`)).text()).toContain('crate_build_info');
    }
  }, 150_000);

  it('know every variable that they are given', async () => {
    for (const { log } of services) expect(await log()).not.toMatch(/unknown|ignor/i);
  });

  it('serve all groups of the platform to the first administrator, and the console', async () => {
    const port = services.find(({ apiPort }) => apiPort !== undefined)?.apiPort ?? 0;
    await eventually(async () => {
      const [status, text] = await askApi(port, '/apis', secrets);
      expect(status).toBe(200);
      for (const group of ['lifecycle', 'cloud', 'cluster', 'policy']) expect(text).toContain(`${group}.crate.dev`);
    }, READY);
    expect((await askApi(port, '/apis/lifecycle.crate.dev/v1alpha1/projects', secrets))[0]).toBe(200);
    expect(
      (await askApi(port, '/apis/lifecycle.crate.dev/v1alpha1/projects', { ...secrets, adminToken: 'x' }))[0],
    ).toBe(401);
    expect((await askApi(port, '/console/', secrets))[0]).toBe(200);
  }, 150_000);
});

async function runSql(url: string, text: string): Promise<void> {
  const database = new Database({ url, schema: 'public', applicationName: 'helm-chart', maxConnections: 1 });
  try {
    for (const statement of text.trim().split('\n')) await database.rowsOnce(statement);
  } finally {
    await database.close();
  }
}
