import { describe, expect, it } from '@jest/globals';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverPrograms } from './server-programs.js';

/** A directory with programs of these names, that do nothing. */
function withPrograms(...names: readonly string[]): { readonly directory: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'crate-programs-'));
  for (const name of names) {
    writeFileSync(join(directory, name), '#!/bin/sh\n');
    chmodSync(join(directory, name), 0o755);
  }
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

describe('serverPrograms', () => {
  it('takes nats-server from the search path that it is given', async () => {
    using there = withPrograms('nats-server');
    const { natsServer } = await serverPrograms(`/nowhere:${there.directory}`);
    expect(natsServer).toBe(join(there.directory, 'nats-server'));
  });

  it('leaves out what is not there: its key is missing, so that its pods stay simulated', async () => {
    using there = withPrograms('nats-client');
    expect(await serverPrograms(there.directory, [])).not.toHaveProperty('natsServer');
  });

  it('has the programs of PostgreSQL that came with the platform, wherever the search path leads', async () => {
    const { postgres } = await serverPrograms('/nowhere');
    for (const path of Object.values(postgres ?? {})) accessSync(path, constants.R_OK);
    expect(Object.keys(postgres ?? {})).not.toEqual([]);
  });
});
