import { expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { freePort } from './index.js';

it('gives ports that can be listened on, and not the same one twice in a row', async () => {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  expect(new Set(ports).size).toBe(3);
  for (const port of ports) {
    await new Promise<void>((resolve, reject) => {
      const server = createServer();
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
    });
  }
});
