import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InMemorySecretStore } from '@crate/secrets';
import { TerraformRunner, type TerraformWorkspace } from '@crate/terraform';
import { editedStateFacts, STATE_KIND } from '../terraform-state/state-facts.js';
import { StateKeeper } from './state-keeper.js';

const UID = 'u1';
const PERSON = { by: 'root', reason: 'what was there before' };

let directory: string;
let secrets: InMemorySecretStore;
let states: StateKeeper;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-state-keeper-'));
  secrets = new InMemorySecretStore();
  states = new StateKeeper(secrets);
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

function aState(serial: number): Buffer {
  return Buffer.from(JSON.stringify({ version: 4, serial, lineage: 'a', outputs: {}, resources: [] }));
}

/** The workspace that a host has of its own. */
const on = (host: string): Promise<TerraformWorkspace> =>
  new TerraformRunner({
    binary: { path: '/bin/false', version: '1.9.0' },
    directory: join(directory, host),
    path: '',
  }).open(UID);

/** What Terraform writes on a host, stored or not. */
const write = (host: string, serial: number): Promise<void> =>
  writeFile(join(directory, host, 'workspaces', UID, 'terraform.tfstate'), aState(serial));

async function recover(host: string, epoch: bigint): Promise<number | undefined> {
  return (await states.recover(UID, await on(host), epoch)).state?.serial;
}

describe('a workspace of a host that was overtaken', () => {
  beforeEach(async () => {
    await secrets.put(UID, STATE_KIND, aState(120));
    await recover('a', 1n);
    // Goes on to write while nobody takes it any more.
    await write('a', 170);
    await recover('b', 2n);
    await states.storing(UID, 2n)(aState(156));
  });

  it('does not count, however far its serial has come', async () => {
    expect(await recover('a', 3n)).toBe(156);
    expect((await states.find(UID))?.serial).toBe(156);
  });

  it('does not count for whoever only looks, either', async () => {
    const workspace = await on('a');
    await states.takeUp(UID, workspace, 3n);

    expect((await workspace.readState())?.serial).toBe(156);
    expect((await states.find(UID))?.serial).toBe(156);
  });

  it('counts again once it is the one that went on last', async () => {
    await recover('a', 3n);
    await write('a', 160);

    expect(await recover('a', 4n)).toBe(160);
    expect(await recover('b', 5n)).toBe(160);
  });
});

describe('whoever only looks', () => {
  it('looks with what a person has put in place', async () => {
    await secrets.put(UID, STATE_KIND, aState(9));
    await recover('a', 1n);
    await write('a', 12);
    await secrets.put(UID, STATE_KIND, aState(10), { facts: (serial) => editedStateFacts(aState(10), serial, PERSON) });

    const workspace = await on('a');
    await states.takeUp(UID, workspace, 2n);
    expect((await workspace.readState())?.serial).toBe(10);
  });
});
