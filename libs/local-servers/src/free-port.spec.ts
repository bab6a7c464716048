import { afterEach, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { claimPort, freePort } from './index.js';

/** Claims a port as `freePort` of another process does, until it ends, and prints it. */
const CLAIM = `
  const claim = require('node:dgram').createSocket('udp4');
  claim.bind({ port: 0, address: '127.0.0.1' }, () => console.log(claim.address().port));`;

const others: ChildProcess[] = [];
afterEach(() => others.splice(0).forEach((other) => other.kill('SIGKILL')));

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

it('claims a port once', async () => {
  expect(await claimPort(await freePort())).toBe(false);
});

it('does not give what another process claimed, and gives it again once that was killed', async () => {
  const other = spawn(process.execPath, ['-e', CLAIM], { stdio: ['ignore', 'pipe', 'inherit'] });
  others.push(other);
  const [line] = (await once(other.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  expect(await claimPort(port)).toBe(false);

  other.kill('SIGKILL');
  await once(other, 'exit');
  expect(await claimPort(port)).toBe(true);
});
