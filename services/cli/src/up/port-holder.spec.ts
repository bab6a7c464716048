import { describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo } from 'node:net';
import { freePort } from '@crate/testing';
import { findPortHolder } from './port-holder.js';

(process.platform === 'linux' ? describe : describe.skip)('findPortHolder', () => {
  it.each(['127.0.0.1', '::'])('names the program and process that listens on %s', async (host) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, host, resolve));

    expect(findPortHolder((server.address() as AddressInfo).port)).toMatch(
      new RegExp(` \\(process ${process.pid}\\)$`),
    );
    await new Promise((resolve) => server.close(resolve));
  });

  it('gives undefined for a free port', async () => {
    expect(findPortHolder(await freePort())).toBeUndefined();
  });
});
