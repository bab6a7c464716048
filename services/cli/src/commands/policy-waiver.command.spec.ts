import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeApi } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { parseWaiverEnd } from '../policy/waiver-end.js';
import { policyWaiverCommand } from './policy-waiver.command.js';

const WAIVERS = '/apis/policy.crate.dev/v1alpha1/namespaces/team-a/policywaivers';
const SPEC = { policies: ['a-rule'], reason: 'Nobody waits for them', expiresAt: '2027-03-31T00:00:00Z' };

let api: FakeApi;
let calls: { readonly call: string; readonly body: unknown }[];
let approvedBy: string | undefined;
let spec: typeof SPEC & { readonly ticket?: string };

beforeEach(async () => {
  [calls, spec] = [[], SPEC];
  approvedBy = 'anna';
  api = await FakeApi.start((method, path, body) => {
    if (method !== 'GET') calls.push({ call: `${method} ${path}`, body });
    const status = { requestedBy: 'olga', covers: { count: 3, policies: ['a-rule', 'b-rule'] }, approvedBy };
    return { body: { metadata: { name: 'w', namespace: 'team-a', uid: 'u' }, spec, status } };
  });
});
afterEach(async () => api.stop());

async function run(...args: string[]): Promise<Written> {
  return outputOf(policyWaiverCommand(), [...args, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate policy waiver', () => {
  it('asks for one', async () => {
    const place = ['--policy', 'a-rule', 'b-*', '--cluster', 'test-*', '--field', 'spec.region', '--ticket', 'RISK-1'];
    const { stdout } = await run('request', 'w', ...place, '--reason', 'For the tests', '--until', '2027-03-31');
    expect(calls).toEqual([
      {
        call: `POST ${WAIVERS}?fieldManager=crate-cli`,
        body: {
          apiVersion: 'policy.crate.dev/v1alpha1',
          kind: 'PolicyWaiver',
          metadata: { name: 'w', namespace: 'team-a' },
          spec: {
            policies: ['a-rule', 'b-*'],
            clusters: ['test-*'],
            fields: ['spec.region'],
            reason: 'For the tests',
            expiresAt: '2027-03-31T23:59:59Z',
            ticket: 'RISK-1',
          },
        },
      },
    ]);
    expect(stdout).toContain(`crate policy waiver approve w -n team-a --data-dir ${api.dataDir}\n`);
  });

  it('approves the very one that was shown', async () => {
    const { stdout } = await run('approve', 'w', '--yes');
    expect(stdout).toMatch(/Covers now: +a-rule, b-rule and 1 more\n/);
    expect(stdout).toMatch(/Asked for by: +olga\n/);
    expect(stdout).toContain('Waiver "w" is in force');
    expect(calls).toEqual([{ call: `POST ${WAIVERS}/w/approve`, body: { uid: 'u' } }]);
  });

  it.each([
    ['request', '--policy', 'a-rule', '--reason', 'For the tests', '--until', '2027-03-31'],
    ['approve', '--yes'],
    ['revoke'],
  ])('prints it as data after %s, and what people read beside it', async (command, ...args) => {
    const { stdout, stderr } = await run(command, 'w', ...args, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ metadata: { uid: 'u' }, status: { requestedBy: 'olga' } });
    if (command === 'approve') expect(stderr).toMatch(/Asked for by: +olga\n/);
  });

  it('shows nothing that its text writes over the terminal, nor rows that it makes up', async () => {
    spec = {
      ...SPEC,
      policies: ['aws-iam-*'],
      reason: 'Load test\u001b[7A\u001b[2KRules:         cost-spot\nUntil:         tomorrow\u009b1A',
      ticket: 'RISK-1\rRules: none',
    };
    const { stdout } = await run('show', 'w');
    const lines = stdout.split('\n');
    expect(lines).toContain('Reason:        Load test\\u001b[7A\\u001b[2KRules:         cost-spot');
    expect(lines).toContain(`${' '.repeat(15)}Until:         tomorrow\\u009b1A`);
    expect(lines).toContain('Ticket:        RISK-1\\u000dRules: none');
    expect(lines.filter((line) => line.startsWith('Until:'))).toEqual([`Until:         ${SPEC.expiresAt}`]);
  });

  it('says when one approval is not enough', async () => {
    approvedBy = undefined;
    expect((await run('approve', 'w', '--yes')).stdout).toContain(
      `is approved by you; see crate policy waiver show w -n team-a --data-dir ${api.dataDir}\n`,
    );
  });

  it('approves nothing when nobody can be asked', async () => {
    await expect(run('approve', 'w')).rejects.toThrow('say --yes');
    expect(calls).toEqual([]);
  });

  it('takes one back', async () => {
    await run('revoke', 'w');
    expect(calls).toEqual([{ call: `POST ${WAIVERS}/w/revoke`, body: { uid: 'u' } }]);
  });

  it.each([
    ['2027-03-31', '2027-03-31T23:59:59Z'],
    ['2027-03-31T12:00:00+02:00', '2027-03-31T10:00:00Z'],
    ['2w', '1970-01-15T00:00:00Z'],
  ])('takes %s for %s', (text, want) => expect(parseWaiverEnd(text, 0)).toBe(want));

  it('refuses an end that is none', () => expect(() => parseWaiverEnd('soon')).toThrow(/Give a day/));
});
