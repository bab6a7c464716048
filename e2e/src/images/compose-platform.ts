import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemPostgres } from '../backup/own-postgres.js';
import type { AssembledImage } from './assembled.js';
import { ROOT } from './checkout.js';
import { readComposeFile, readVariables } from './compose-file.js';
import { readDockerfile } from './dockerfile.js';
import { LocalEngine } from './local-engine.js';
import { restoreFromBackup } from './restore-from-backup.js';

const CLI = join(ROOT, 'services', 'cli', 'dist', 'main.js');
const PLATFORM = ['far-side', 'policy-mgmt', 'sandbox', 'cloud-mgmt', 'cluster-mgmt', 'lifecycle'];
const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];

/** Namespaces and mounts are asked for as an engine asks for them; where that is refused nothing can be shown. */
function mayIsolate(): boolean {
  try {
    execFileSync('unshare', ['--net', '--mount', 'sh', '-c', 'ip link set lo up && mount -t tmpfs tmpfs /mnt'], {
      stdio: 'ignore',
    });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** For what needs namespaces and mounts of its own; its title says so. */
export const describeIsolated: typeof describe.skip = mayIsolate() ? describe : describe.skip;

/** The PostgreSQL that `crate up` brings along has no client programs. */
const itWithClients = systemPostgres() === undefined ? it.skip : it;

/** Runs the assembled images as docker-compose.yml says. */
export function composePlatform(images: () => ReadonlyMap<string, AssembledImage>): void {
  describeIsolated(
    'docker-compose.yml with its sandbox (skipped where mounts and networks of its own are refused)',
    () => {
      let directory: string;
      let engine: LocalEngine;

      beforeAll(async () => {
        directory = await mkdtemp(join(tmpdir(), 'crate-compose-'));
        engine = await LocalEngine.open({
          directory: join(directory, 'engine'),
          compose: readComposeFile(readVariables('deploy/compose/sandbox.env')),
          images: images(),
          configs: readDockerfile(),
          environment: { sandbox: { CRATE_SANDBOX_LATENCY_SCALE: '0' } },
        });
        await engine.up(PLATFORM);
      });

      afterAll(async () => {
        await engine?.down();
        await rm(directory, { recursive: true, force: true });
      });

      const crate = async (...args: readonly string[]): Promise<string> => {
        const kubeconfig = join(directory, 'admin.kubeconfig');
        return engine.network.runHere([process.execPath, CLI, ...args, '--kubeconfig', kubeconfig]);
      };
      const inventory = async (): Promise<unknown> => {
        const script = `fetch('http://127.0.0.1:4100/v1/inventory').then(async (it) => console.log(await it.text()))`;
        return JSON.parse(await engine.network.runHere([process.execPath, '-e', script])) as unknown;
      };

      it('hands out a kubeconfig of the administrator', async () => {
        const { command } = { command: readComposeFile().services['kubeconfig']?.entrypoint ?? [] };
        const printed = await engine.exec('kubeconfig', command);
        const volume = join(directory, 'engine', 'volumes', 'admin', 'admin.kubeconfig');

        expect(printed).toBe(await readFile(volume, 'utf8'));
        await cp(volume, join(directory, 'admin.kubeconfig'));
        expect(await crate('whoami')).toContain('admin');
      });

      it.each(SERVICES)('runs %s as nobody, without privileges, on a root that is read-only', async (name) => {
        const status = await readFile(`/proc/${engine.pid(name)}/status`, 'utf8');
        const field = (key: string): string => new RegExp(`^${key}:[ \\t]*(.*?) *$`, 'm').exec(status)?.[1] ?? '';
        const attempt = `try { require('fs').writeFileSync('/opt/crate/x', '') } catch (error) { console.log(error.code) }`;

        expect(field('Uid').split('\t')).toEqual(['65532', '65532', '65532', '65532']);
        expect([
          field('Groups'),
          field('NoNewPrivs'),
          BigInt(`0x${field('CapEff')}`),
          BigInt(`0x${field('CapPrm')}`),
        ]).toEqual(['', '1', 0n, 0n]);
        expect((await engine.exec(name, ['/usr/local/bin/node', '-e', attempt])).trim()).toBe('EROFS');
      });

      it('shows a service what is its own, and nothing of another', async () => {
        const script = `console.log(require('fs').readdirSync('/var/lib/crate/services').join())`;
        const seen = await Promise.all(
          SERVICES.map((name) => engine.exec(name, ['/usr/local/bin/node', '-e', script])),
        );
        const mounted = `const fs = require('fs');
      console.log(fs.readdirSync('/var/lib/crate/services').flatMap((it) => fs.readdirSync('/var/lib/crate/services/' + it)).includes('keys'))`;

        expect(seen.map((each) => each.trim())).toEqual(SERVICES);
        expect((await engine.exec('lifecycle', ['/usr/local/bin/node', '-e', mounted])).trim()).toBe('true');
      });

      it('brings the cluster of the quickstart up, and takes it away without leaving anything', async () => {
        await crate('apply', '-f', join(ROOT, 'examples', 'quickstart.yaml'));
        await crate('wait', 'cluster', 'demo', '-n', 'team-a', '--for=condition=Ready', '--timeout=280s');
        const nodes = JSON.parse(await crate('get', 'cluster', 'demo', '-n', 'team-a', '-o', 'json')) as {
          status: { conditions: unknown[] };
        };
        expect(nodes.status.conditions).toContainEqual(
          expect.objectContaining({ type: 'AddOnsReady', status: 'True' }),
        );
        expect(await inventory()).not.toEqual([]);

        await crate('delete', 'cluster', 'demo', '-n', 'team-a');
        expect(await inventory()).toEqual([]);
      });

      it('takes up its work where it was after an end of everything but the servers', async () => {
        await Promise.all(SERVICES.map((name) => engine.stop(name)));
        await engine.up(PLATFORM);

        expect(await crate('get', 'projects')).toContain('team-a');
      });

      itWithClients(
        'comes back from its backup on a new host, as the guide says (skipped without the clients of PostgreSQL)',
        async () => {
          const later = join(directory, 'later.yaml');
          await writeFile(
            later,
            'apiVersion: lifecycle.crate.dev/v1alpha1\nkind: Project\nmetadata: { name: later }\n',
          );
          await restoreFromBackup({
            engine,
            change: () => crate('apply', '-f', later),
            stop: () => Promise.all(SERVICES.map((name) => engine.stop(name))),
          });
          await engine.up(PLATFORM);

          expect(await engine.runTool('recovery', [])).toMatch(/lifecycle +Recovering .*Restored by hand/);
          expect(await crate('get', 'projects')).toContain('team-a');
          expect(await crate('get', 'projects')).not.toContain('later');
          expect(await engine.runTool('recovery', ['confirm'])).toContain('Confirmed for policy-mgmt, cloud-mgmt');
          expect(await engine.runTool('recovery', [])).not.toContain('Recovering');
          expect(await engine.runTool('keys', ['status'])).toMatch(
            /^SERVICE +KEY +STATE +RECORDS\n(.* newest +\d+\n){4}$/,
          );
        },
      );
    },
  );
}
