import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { ImageCatalog, repositoryOf, writeLocalImages } from './image-catalog.js';

describe('repositoryOf', () => {
  it.each([
    ['nginx', 'nginx'],
    ['nginx:1.27', 'nginx'],
    ['registry:5000/team/web', 'registry:5000/team/web'],
    ['registry:5000/team/web:1@sha256:0f', 'registry:5000/team/web'],
    ['ghcr.io/crate/crate-init@sha256:0f', 'ghcr.io/crate/crate-init'],
  ])('of %s is %s', (reference, repository) => expect(repositoryOf(reference)).toBe(repository));
});

describe('ImageCatalog', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'images-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('knows an image by whatever tag, as soon as somebody wrote it down', async () => {
    const images = new ImageCatalog(directory);
    expect(images.find('web:1')).toBeUndefined();
    await writeLocalImages(directory, { web: { command: ['/bin/web'] } });

    const found = await eventually(() => images.find('web:2') ?? false);
    expect(found).toEqual({ command: ['/bin/web'], environment: {}, defaults: {}, isRootless: false, paths: {} });
  });

  it('takes the one of a tag before the one of all tags', async () => {
    const commands = { web: { command: ['/bin/web'] }, 'web:2': { command: ['/bin/web-2'] } };
    await writeLocalImages(directory, commands);
    const images = new ImageCatalog(directory);
    const found = ['web:1', 'web:2', 'web:2@sha256:0f', 'web'].map((each) => images.find(each)?.command[0]);
    expect(found).toEqual(['/bin/web', '/bin/web-2', '/bin/web-2', '/bin/web']);
  });

  it('knows the official images by their whole names as well', async () => {
    await writeLocalImages(directory, { nats: { command: ['/bin/nats'] } });
    const images = new ImageCatalog(directory);
    const names = ['nats', 'docker.io/library/nats:2@sha256:0f', 'registry.example.com/library/nats:2'];
    expect(names.map((each) => images.find(each)?.command[0])).toEqual(['/bin/nats', '/bin/nats', undefined]);
  });

  it('goes on with what it knows, and tells, when the file is damaged', async () => {
    const told: unknown[] = [];
    await writeLocalImages(directory, { web: { command: ['/bin/web'] } });
    const images = new ImageCatalog(directory, (error) => told.push(error));
    expect(images.find('web')).toBeDefined();
    await writeFile(join(directory, 'images.json'), '{');

    await eventually(() => {
      expect(images.find('web')).toBeDefined();
      expect(told).toHaveLength(1);
    });
  });

  it('takes no image without a command', async () => {
    await expect(writeLocalImages(directory, { web: { command: [] } })).rejects.toThrow('command');
  });
});
