import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createResourceHttpServer,
  KindRegistry,
  LocalResourceApi,
  LocalResourceRouter,
  type ResourceHttpServer,
} from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually, TestAuthority, type CertificateFiles as IssuedFiles } from '@crate/testing';
import { CertificateFiles } from './certificate-files.js';

let directory: string;
let authority: TestAuthority;
let logger: InMemoryLogger;
let server: ResourceHttpServer | undefined;
let certificate: CertificateFiles;
let port: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-certificates-'));
  authority = await TestAuthority.create(directory);
  logger = new InMemoryLogger();
});
afterEach(async () => {
  certificate?.close();
  await server?.close();
  server = undefined;
  await rm(directory, { recursive: true, force: true });
});

const at = (name: string): string => join(directory, name);

/** Serves with the pair in these files, as the front door does. */
async function serve(certificateFile = at('tls.crt'), keyFile = at('tls.key')): Promise<void> {
  certificate = await CertificateFiles.open({ certificateFile, keyFile, logger, lookEveryMs: 20 });
  const kinds = new KindRegistry();
  server = await createResourceHttpServer({
    router: new LocalResourceRouter(kinds, new LocalResourceApi({ store: new InMemoryResourceStore(), kinds })),
    authenticate: () => Promise.resolve({ user: 'ada', groups: [] }),
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger,
    tls: certificate.current,
    listener: { keepAliveTimeoutMs: 120_000 },
  });
  port = Number(new URL(await server.listen(0, '127.0.0.1')).port);
  const opened = server;
  certificate.follow((files) => opened.renewCertificate(files));
}

/** Whose certificate a new handshake is shown. */
async function shown(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca: authority.certificate }, () => {
      resolve(socket.getPeerCertificate().subject.CN as string);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function place(name: string, days?: number): Promise<void> {
  put(await authority.issue(name, days));
}

/** Nobody looks in between. */
function put({ certificateFile, keyFile }: IssuedFiles): void {
  renameSync(keyFile, at('tls.key'));
  renameSync(certificateFile, at('tls.crt'));
}

function said(message: string): number {
  return logger.lines.filter((line) => line.message === message).length;
}

const REFUSED = 'Refusing a new certificate, and keeping the one in use';

describe('the certificate of the front door', () => {
  it('is renewed without a restart; connections that are open live on', async () => {
    await place('first');
    await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate });
    const ports = new Set<number | undefined>();
    const get = async (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const call = request({ agent, port, host: '127.0.0.1', path: '/version' }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        call.on('socket', (socket) => socket.once('secureConnect', () => ports.add(socket.localPort)));
        call.on('error', reject).end();
      });
    expect([await get(), await shown()]).toEqual([200, 'first']);

    await place('second');
    await eventually(async () => expect(await shown()).toBe('second'));
    expect([await get(), ports.size]).toEqual([200, 1]);
    expect(certificate.validTo).toEqual(new Date(new X509Certificate(await readFile(at('tls.crt'))).validTo));
    expect(said('Serving with a new certificate')).toBe(1);
    agent.destroy();
  });

  it('is renewed when a symbolic link is turned, as Kubernetes does with a Secret', async () => {
    for (const name of ['first', 'second']) {
      await place(name);
      await mkdir(at(`..${name}`));
      for (const file of ['tls.crt', 'tls.key']) await rename(at(file), join(at(`..${name}`), file));
    }
    await symlink('..first', at('..data'));
    await serve(at('..data/tls.crt'), at('..data/tls.key'));
    expect(await shown()).toBe('first');

    await symlink('..second', at('..data_tmp'));
    await rename(at('..data_tmp'), at('..data'));
    await eventually(async () => expect(await shown()).toBe('second'));
  });

  it('is not looked at while a look is under way, which would take the old one for new when it ends', async () => {
    await place('first');
    const oldKey = readFileSync(at('tls.key'));
    const next = await authority.issue('second');
    await serve();
    execFileSync('mkfifo', [at('pipe')]);
    renameSync(at('pipe'), at('tls.key'));
    // Opens once a look reads from the other end, and holds that up.
    const pipe = await eventually(() => openSync(at('tls.key'), constants.O_WRONLY | constants.O_NONBLOCK));
    try {
      put(next);
      // Many looks long. Were it too short, nothing would be seen that should not be.
      await delay(400);
      expect(said('Serving with a new certificate')).toBe(0);
      writeSync(pipe, oldKey);
    } finally {
      closeSync(pipe);
    }
    await eventually(async () => expect(await shown()).toBe('second'));
    expect(said('Serving with a new certificate')).toBe(1);
  });

  const bad: readonly { name: string; spoil: () => Promise<void> }[] = [
    {
      name: 'a key of another certificate',
      spoil: async () => copyFile((await authority.issue('other')).keyFile, at('tls.key')),
    },
    { name: 'half a certificate', spoil: () => writeFile(at('tls.crt'), '-----BEGIN CERTIFICATE-----\nMIIB') },
    { name: 'an empty file', spoil: () => writeFile(at('tls.key'), '') },
    { name: 'no file', spoil: () => rm(at('tls.crt')) },
    { name: 'a certificate that has expired', spoil: () => place('old', -1) },
  ];

  it.each(bad)(
    'stays when there is $name instead, which is logged once, and a good one later is taken',
    async ({ spoil }) => {
      await place('first');
      await serve();
      await spoil();
      await eventually(() => expect(said(REFUSED)).toBe(1));
      expect(await shown()).toBe('first');
      await place('second');
      await eventually(async () => expect(await shown()).toBe('second'));
      expect(said(REFUSED)).toBe(1);
    },
  );

  it('that is no pair at the start stops the start, by name', async () => {
    await place('first');
    await copyFile((await authority.issue('other')).keyFile, at('tls.key'));
    await expect(serve()).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('the key does not belong to the certificate'),
    });
  });
});
