import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NAMESPACE, whyNoHelm } from '@crate/helm-chart';
import { renderChart, valuesOf } from './platform-chart.js';
import type { BootstrapRequest } from './request.js';
import { releaseKeys } from './upgrade-values.js';

const INDEX = 'https://releases.example.com/releases.json';
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const PRIVATE = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

let dir: string;
let key: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'crate-keys-'));
  key = join(dir, 'release.pub');
  await writeFile(key, PUBLIC);
});
afterEach(async () => rm(dir, { recursive: true }));

interface KeyObject {
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
}
interface Values {
  readonly components?: object;
  readonly lifecycle: {
    readonly env: Readonly<Record<string, string>>;
    readonly extraVolumes: readonly [{ readonly name: string; readonly configMap: { readonly name: string } }];
    readonly extraVolumeMounts: readonly [{ readonly name: string; readonly mountPath: string }];
  };
}

const noHelm = await whyNoHelm();
const asked = (fields: Partial<BootstrapRequest>): BootstrapRequest => fields as BootstrapRequest;

describe('a platform that knows of newer versions', () => {
  it('has an index, and the key that it is signed with where lifecycle reads it', async () => {
    const request = asked({ releasesIndex: INDEX, releasesPublicKeyFile: key });
    const { lifecycle, components } = (await valuesOf(request, {})) as unknown as Values;
    const [object] = (await releaseKeys(request)) as readonly [KeyObject];
    expect(object).toMatchObject({ kind: 'ConfigMap', metadata: { namespace: NAMESPACE } });
    expect(Object.values(object.data)).toEqual([PUBLIC]);

    const { extraVolumes, extraVolumeMounts, env } = lifecycle;
    const [[volume], [mount]] = [extraVolumes, extraVolumeMounts];
    expect(volume.configMap.name).toBe(object.metadata.name);
    expect(mount).toMatchObject({ name: volume.name, readOnly: true });
    const [file] = Object.keys(object.data);
    expect(env).toMatchObject({
      CRATE_RELEASES_INDEX: INDEX,
      CRATE_RELEASES_PUBLIC_KEY_FILES: `${mount.mountPath}/${file}`,
    });
    expect(components).toBeUndefined();
  });

  it('upgrades itself where that is asked for', async () => {
    const request = asked({ releasesIndex: INDEX, releasesPublicKeyFile: key, selfUpgrade: true });
    expect(await valuesOf(request, {})).toMatchObject({ components: { enabled: true } });
  });

  it('knows of none where none is named', async () => {
    expect(await releaseKeys(asked({}))).toEqual([]);
    expect(JSON.stringify(await valuesOf(asked({}), {}))).not.toMatch(/RELEASES|components/);
  });

  it.each([
    { reason: 'an index that nobody can believe', request: { releasesIndex: INDEX } },
    { reason: 'a key of nothing', request: { releasesPublicKeyFile: '/release.pub' } },
    { reason: 'upgrades to what nobody signed', request: { selfUpgrade: true } },
  ])('is refused before anything is made with $reason', async ({ request }) => {
    await expect(releaseKeys(asked(request))).rejects.toMatchObject({ details: { reason: 'ReleasesMissing' } });
  });

  it.each([
    { reason: 'a file that is not there', text: undefined, says: /no such file/ },
    { reason: 'what is no key', text: 'key', says: /release\.pub .*public key/ },
    { reason: 'the key that signs, which is nobody’s to pass on', text: PRIVATE, says: /release\.pub .*public key/ },
  ])('is refused with $reason', async ({ text, says }) => {
    await (text === undefined ? rm(key) : writeFile(key, text));
    const request = asked({ releasesIndex: INDEX, releasesPublicKeyFile: key });
    await expect(releaseKeys(request)).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringMatching(says),
    });
  });

  it('passes on the public key alone, whatever stands behind it in its file', async () => {
    await writeFile(key, `${PUBLIC}${PRIVATE}`);
    const [object] = (await releaseKeys(asked({ releasesIndex: INDEX, releasesPublicKeyFile: key }))) as [KeyObject];
    expect(Object.values(object.data)).toEqual([PUBLIC]);
  });

  (noHelm === undefined ? it : it.skip)(`is what the chart takes${noHelm ? ` (skipped: ${noHelm})` : ''}`, async () => {
    const request = asked({ releasesIndex: INDEX, releasesPublicKeyFile: key, selfUpgrade: true });
    const objects = await renderChart(await valuesOf(request, {}));
    const [lifecycle] = objects.filter(
      ({ kind, metadata }) => kind === 'StatefulSet' && /lifecycle$/.test(metadata.name),
    );
    expect(JSON.stringify(lifecycle)).toContain('crate-release-keys');
    expect(objects.map(({ kind }) => kind)).toContain('Role');
  });
});
