import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileKeyStore, LOCAL_ISSUER, LocalTokenVerifier, PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import {
  ensureServiceKeys,
  instancesOf,
  issueAdminToken,
  serviceEnvironment,
  writeNatsConfig,
  type PlatformContext,
} from './services.js';
import { SERVICE_ORDER, type LocalService } from './service-order.js';

let dir: DataDir;
let context: PlatformContext;
beforeEach(async () => {
  dir = await temporaryDataDir();
  await dir.prepare();
  context = {
    dir,
    settings: {
      ...{ apiPort: 6440, postgresPort: 1, natsPort: 4222, sandboxPort: 8000 },
      healthPorts: { lifecycle: 9001, 'lifecycle-2': 9002 },
    },
    certificate: { certificateFile: '/certificate', keyFile: '/key', ca: '' },
    sandboxUrl: 'http://127.0.0.1:8000',
    databaseUrls: new Map(SERVICE_ORDER.map((name) => [name, `postgresql://${name}:hunter2@127.0.0.1/db`])),
    programs: { terraform: '/bin/terraform', searchPath: '/bin' },
  };
});
afterEach(async () => removeDataDir(dir));

async function environmentOf(service: LocalService, replica = 1): Promise<Record<string, string>> {
  const name = replica === 1 ? service : `${service}-${replica}`;
  return serviceEnvironment({ service, replica, name }, context);
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('instancesOf', () => {
  it('names further replicas by their number, after the first ones of all', () => {
    expect(instancesOf(['cloud-mgmt', 'lifecycle'], 2).map(({ name }) => name)).toEqual([
      'cloud-mgmt',
      'lifecycle',
      'cloud-mgmt-2',
      'lifecycle-2',
    ]);
    expect(instancesOf(['lifecycle'], 1)).toEqual([{ service: 'lifecycle', replica: 1, name: 'lifecycle' }]);
  });
});

describe('serviceEnvironment', () => {
  it.each(SERVICE_ORDER)("gives %s nothing of the person's own, and secrets in files only", async (service) => {
    const environment = await environmentOf(service);

    expect(Object.keys(environment).filter((name) => !name.startsWith('CRATE_'))).toEqual(['PATH', 'HOME', 'NODE_ENV']);
    expect(JSON.stringify(environment)).not.toContain('hunter2');
    const file = environment['CRATE_DATABASE_URL_FILE'] ?? '';
    expect([await readFile(file, 'utf8'), await modeOf(file)]).toEqual([
      `postgresql://${service}:hunter2@127.0.0.1/db`,
      '600',
    ]);
  });

  it.each(SERVICE_ORDER)('gives %s directories of its own', async (service) => {
    const environment = await environmentOf(service);
    const own = ['HOME', 'CRATE_KEYS_PRIVATE_DIR', 'CRATE_ENCRYPTION_KEYS_DIR', 'CRATE_NATS_PASSWORD_FILE'];
    for (const name of own) expect(environment[name]?.startsWith(dir.service(service))).toBe(true);
  });

  it('gives the front door the console, where it was built', async () => {
    expect(await environmentOf('lifecycle')).not.toHaveProperty('CRATE_CONSOLE_DIR');
    context = { ...context, consoleDir: '/console' };
    expect(await environmentOf('lifecycle')).toMatchObject({
      CRATE_CONSOLE_DIR: '/console',
      // Messages to people link to it.
      CRATE_CONSOLE_URL: 'https://127.0.0.1:6440',
    });
    expect(await environmentOf('cloud-mgmt')).not.toHaveProperty('CRATE_CONSOLE_DIR');
  });

  it('opens the public API in the first replica only', async () => {
    expect((await environmentOf('lifecycle'))['CRATE_API_PORT']).toBe('6440');
    expect((await environmentOf('lifecycle', 2))['CRATE_API_PORT']).toBe('0');
    expect((await environmentOf('lifecycle', 2))['CRATE_HEALTH_PORT']).toBe('9002');
  });

  it('lets cloud-mgmt alone know of Terraform and the sandbox, and cluster-mgmt of the engine', async () => {
    const known = async (name: string): Promise<string[]> => {
      const all = await Promise.all(
        SERVICE_ORDER.map(async (service) => [service, await environmentOf(service)] as const),
      );
      return all.filter(([, environment]) => name in environment).map(([service]) => service);
    };
    expect(await known('CRATE_TERRAFORM_BINARY')).toEqual(['cloud-mgmt']);
    expect(await known('CRATE_SANDBOX_URL')).toEqual(['cloud-mgmt']);
    expect(await known('CRATE_RKE_BINARY')).toEqual(['cluster-mgmt']);
  });
});

describe('writeNatsConfig', () => {
  it('gives every service a password of its own that stays, in a file for this user alone', async () => {
    const path = await writeNatsConfig(dir, 4222);
    const first = await readFile(path, 'utf8');
    expect(await modeOf(path)).toBe('600');
    expect(await readFile(await writeNatsConfig(dir, 4222), 'utf8')).toBe(first);

    const passwords = await Promise.all(
      SERVICE_ORDER.map((service) => readFile(join(dir.service(service), 'nats-password'), 'utf8')),
    );
    expect(new Set(passwords).size).toBe(SERVICE_ORDER.length);
    for (const [index, service] of SERVICE_ORDER.entries()) {
      expect(first).toContain(`"user":"${service}","password":"${passwords[index]}"`);
    }
    expect(first).toContain('host: "127.0.0.1"');
  });
});

describe('the administrator', () => {
  it('has a token that the front door takes, also after keys were asked for again', async () => {
    await ensureServiceKeys(dir);
    const token = issueAdminToken(dir);
    await ensureServiceKeys(dir);

    const trust = { privateDir: join(dir.service('lifecycle'), 'keys'), trustDir: dir.trust() };
    const { caller } = await new LocalTokenVerifier(new FileKeyStore(trust, LOCAL_ISSUER)).verify(token);
    expect(caller).toMatchObject({ user: 'admin', groups: expect.arrayContaining([PLATFORM_ADMIN_GROUP]) });
  });
});
