import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BootstrapRequest } from '../request.js';
import { podTemplate } from './pod-template.js';
import { serverImage } from './server-images.js';

const OFFICIAL = /^docker\.io\/library\/postgres:\d+\.\d+-bookworm(@sha256:[0-9a-f]{64})?$/;
const requestOf = (given: object): BootstrapRequest => given as BootstrapRequest;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-images-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('serverImage', () => {
  it('is the one of its publisher, with its whole name', async () => {
    const { image, pullSecrets } = await serverImage('postgres', requestOf({}));
    expect(image).toMatch(OFFICIAL);
    expect(pullSecrets).toEqual([]);
  });

  it('comes from the registry that is named, by the same path and digest', async () => {
    const { image: official } = await serverImage('nats', requestOf({}));
    const { image } = await serverImage('nats', requestOf({ serverRegistry: 'registry.example.com:5000/mirror' }));
    expect(image).toBe(official.replace('docker.io', 'registry.example.com:5000/mirror'));
  });

  it('is fetched with the Secrets that the images of services are', async () => {
    const valuesFile = join(directory, 'values.yaml');
    await writeFile(valuesFile, 'image: { registry: registry.example.com, pullSecrets: [{ name: registry }] }\n');
    const image = await serverImage('postgres', requestOf({ valuesFile }));
    expect(image).toEqual({ image: expect.stringMatching(OFFICIAL), pullSecrets: [{ name: 'registry' }] });
    const pod = { name: 'a', user: 1, args: [], env: [], ports: { a: 1 }, resources: {}, mounts: {}, volumes: [] };
    expect(podTemplate({ ...pod, ...image, graceSeconds: 1, labels: {} })).toMatchObject({
      spec: { imagePullSecrets: [{ name: 'registry' }], containers: [{ image: image.image }] },
    });
  });
});
