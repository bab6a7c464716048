import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { TestAuthority } from '@crate/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { webhookParts } from './webhook.parts.js';

let directory: string;
let authority: TestAuthority;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-webhook-'));
  authority = await TestAuthority.create(directory);
});
afterAll(async () => rm(directory, { recursive: true, force: true }));

const foundation = { logger: new InMemoryLogger(), metrics: new InMemoryMetrics() };
const review = (): Promise<never> => Promise.reject(new Error('Nobody asks'));

describe('the certificate of the webhook', () => {
  it('is told of once it listens', async () => {
    const files = await authority.issue('webhook');
    const parts = webhookParts({ ...files, host: '127.0.0.1', port: 0 }, foundation, review);
    expect(await parts.certificates()).toEqual([]);
    await parts.start();
    const { validTo } = new X509Certificate(await readFile(files.certificateFile));
    expect(await parts.certificates()).toEqual([{ use: 'webhook', expiresAt: new Date(validTo).toISOString() }]);
    await parts.stop();
  });

  it('is none where there is no webhook', async () => {
    const parts = webhookParts(undefined, foundation, review);
    await parts.start();
    expect(await parts.certificates()).toEqual([]);
  });
});
