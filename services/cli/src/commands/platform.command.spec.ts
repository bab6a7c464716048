import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Component, UpgradePlan } from '@crate/api';
import { invalidSpec, toStatus } from '@crate/errors';
import { aComponent, aPlan, aStep, takenBack } from '../testing/a-component.js';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { platformCommand } from './platform.command.js';

const COMPONENTS = '/apis/lifecycle.crate.dev/v1alpha1/components';
const PAUSED = { reason: 'Paused', effect: 'Waits', message: 'It is paused', remedy: 'Resume it' } as const;
const UNSIGNED = {
  reason: 'NotSigned',
  effect: 'Refused',
  message: 'Nobody signed it',
  remedy: 'Choose another',
} as const;

let api: FakeApi;
let plan: UpgradePlan;
let items: Component[];
let asked: string[];
/** What was set: component and version. */
let written: unknown[];
let onSet: (name: string) => FakeAnswer;

beforeEach(async () => {
  plan = aPlan();
  items = [aComponent('policy-mgmt'), aComponent('lifecycle')];
  asked = [];
  written = [];
  onSet = () => ({ body: {} });
  api = await FakeApi.start((method, path, body) => {
    asked.push(`${method} ${path}`);
    if (path.startsWith('/platform/upgrade')) return { body: plan };
    if (method === 'GET') return { body: { metadata: {}, items } };
    const name = path.slice(COMPONENTS.length + 1);
    written.push([name, (body as { spec: { version: unknown } }).spec.version]);
    return onSet(name);
  });
});
afterEach(async () => api.stop());

async function upgrade(...args: string[]): Promise<Written> {
  return outputOf(platformCommand(), ['upgrade', ...args, '--data-dir', api.dataDir]);
}

describe('crate platform upgrade --plan', () => {
  it('shows what it leads to, and writes nothing', async () => {
    const { stdout, exitCode } = await upgrade('--plan', '--to', '0.2.0');
    expect(stdout).toContain('1.  policy-mgmt  0.1.0  0.2.0  Upgrade');
    expect([exitCode, asked]).toEqual([0, ['GET /platform/upgrade?to=0.2.0']]);
  });

  it('leaves the choice of the version to the platform, and prints data', async () => {
    expect(JSON.parse((await upgrade('--plan', '-o', 'json')).stdout)).toEqual(plan);
    expect(asked).toEqual(['GET /platform/upgrade']);
  });

  it.each([
    { problem: UNSIGNED, want: 4 },
    { problem: PAUSED, want: 0 },
  ])('ends with $want for $problem.effect', async ({ problem, want }) => {
    plan = aPlan({ steps: [aStep('lifecycle', { problems: [problem] })] });
    expect((await upgrade('--plan')).exitCode).toBe(want);
  });
});

describe('crate platform upgrade', () => {
  it('sets the version of each in the order of the plan', async () => {
    const { stderr, exitCode } = await upgrade('--yes');
    expect(written).toEqual([
      ['policy-mgmt', '0.2.0'],
      ['lifecycle', '0.2.0'],
    ]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('crate components -w')]);
  });

  it('asks first, and writes nothing where there is nobody to ask', async () => {
    await expect(upgrade()).rejects.toThrow(/Bring all services of the platform to 0\.2\.0\?.*--yes/);
    expect(written).toEqual([]);
  });

  it('writes nothing that would be refused, and says what to do', async () => {
    plan = aPlan({ steps: [aStep('policy-mgmt', { problems: [UNSIGNED] })] });
    await expect(upgrade('--yes')).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(/policy-mgmt: NotSigned: Nobody signed it/),
      details: { reason: 'NotSigned', remedy: 'Choose another' },
    });
    expect(written).toEqual([]);
  });

  it('asks anew for what has failed, and leaves alone what is asked for it already', async () => {
    plan = aPlan({ steps: [aStep('policy-mgmt', { hasFailed: true }), aStep('lifecycle', { action: 'GoOn' })] });
    const spec = { version: '0.2.0' };
    items = [aComponent('policy-mgmt', { spec, status: takenBack('It crashed') }), aComponent('lifecycle', { spec })];
    await upgrade('--yes');
    expect(written).toEqual([
      ['policy-mgmt', null],
      ['policy-mgmt', '0.2.0'],
    ]);
  });

  it('takes back a wish that leads elsewhere, also where the version is there already', async () => {
    plan = aPlan({ steps: [aStep('policy-mgmt', { action: 'Stay' }), aStep('lifecycle', { action: 'Stay' })] });
    items = [aComponent('policy-mgmt', { spec: { version: '0.3.0' } }), aComponent('lifecycle')];
    await upgrade('--yes');
    expect(written).toEqual([['policy-mgmt', '0.2.0']]);
  });

  it('has nothing to ask where all have it', async () => {
    plan = aPlan({ steps: [aStep('lifecycle', { action: 'Stay', moves: [] })] });
    expect((await upgrade()).stdout).toContain('Nothing to do: all services have it');
    expect(written).toEqual([]);
  });

  it('says what is set already when one of them is refused', async () => {
    const refusal = invalidSpec('Component "lifecycle" is invalid', [{ reason: 'FieldValueInvalid', message: 'No' }]);
    onSet = (name) => (name === 'lifecycle' ? { status: 422, body: toStatus(refusal) } : { body: {} });
    await expect(upgrade('--yes')).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringMatching(/^lifecycle was not set: .*policy-mgmt are set already/),
    });
  });

  it('ends with 0 once all have it', async () => {
    items = ['policy-mgmt', 'lifecycle'].map((name) => aComponent(name, { status: { installedVersion: '0.2.0' } }));
    const { stdout, exitCode } = await upgrade('--yes', '--wait');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/policy-mgmt has 0\.2\.0\nlifecycle has 0\.2\.0\n$/)]);
  });

  it('ends with 9 when one went back, and says why', async () => {
    const spec = { version: '0.2.0' };
    items = [aComponent('policy-mgmt', { spec, status: takenBack('It crashed') }), aComponent('lifecycle', { spec })];
    const { stdout, stderr, exitCode } = await upgrade('--yes', '--wait');
    expect(exitCode).toBe(9);
    expect(stdout).toContain('policy-mgmt: 0.2.0 was taken back to 0.1.0: It crashed');
    expect(stderr).toContain('Not all services have 0.2.0');
  });

  it('says why one went back in a line that writes nothing over the terminal', async () => {
    const spec = { version: '0.2.0' };
    items = [aComponent('policy-mgmt', { spec, status: takenBack('It\u001b[2K\nlifecycle has 0.2.0') })];
    expect((await upgrade('--yes', '--wait')).stdout).toContain(': It\\u001b[2K lifecycle has 0.2.0\n');
  });

  it('prints data of plans only', async () => {
    await expect(upgrade('-o', 'json')).rejects.toMatchObject({ code: 'BadRequest' });
  });
});
