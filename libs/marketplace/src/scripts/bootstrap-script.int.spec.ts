import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BUNDLE } from '../release-facts.js';
import { FOLDER, ROOT } from '../written-files.js';
import { ScriptBench } from './script-bench.js';

const BUNDLE_PATH = `/release/${BUNDLE}`;
const PAGE = readFileSync(join(ROOT, 'docs/install/aws-marketplace.md'), 'utf8');
/** What the page has people type to bring a newer release to the machine. */
const NEWER = /^release=\S+$[^]*?(?=^```$)/m.exec(PAGE)?.[0] ?? '';
const missing = ['bash', 'curl', 'flock', 'openssl', 'sha256sum', 'tar'].filter(
  (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
);
const suite = missing.length === 0 ? describe : describe.skip;

suite(`bootstrap.sh${missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(', ')})`}`, () => {
  let bench: ScriptBench;
  beforeEach(async () => {
    bench = await ScriptBench.start(process.env['PATH'] ?? '');
  });
  afterEach(async () => bench.close());

  const asked = (path: string): number => bench.asked.filter((each) => each === path).length;

  it('checks the release, sets up the platform, hands it over and stops the machine', async () => {
    await bench.plan('succeed');
    expect(await bench.boot()).toBe(0);

    expect(bench.signals).toHaveLength(1);
    expect(bench.signals[0]).toMatchObject({ Status: 'SUCCESS', UniqueId: 'my-stack' });
    expect(JSON.parse(bench.signals[0]?.Data ?? '')).toEqual({ url: 'https://platform.example.com', version: '1.2.0' });
    const calls = (await bench.calls()).join('\n');
    expect(calls).toContain('bootstrap aws --in-place');
    expect(calls).toContain('198.51.100.7/32,203.0.113.0/24');
    expect(calls).toContain('key=AKIDEXAMPLE/a/b+c');
    expect(calls).toContain('--marketplace-product-code abc123');
    const index = bench.settings['CRATE_RELEASE_URL']?.replace(/\/[^/]*$/, '/releases.json');
    expect(calls).toContain(`--releases-index ${index} --releases-public-key `);
    expect(await bench.read('var/lib/crate/release.pub')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(calls).toContain('--self-upgrade');
    expect(calls).toMatch(/mkfs\.xfs -q \/dev\/sdf[^]*mount .*\/dev\/sdf/);
    expect(calls).toMatch(/put-secret-value .*--secret-id administrator .*admin\.kubeconfig/);
    expect(calls.endsWith('shutdown -h now')).toBe(true);
    expect(await bench.log()).not.toMatch(/a\/b\+c|Signature/);
    // Nothing of it is left to be found on the volume.
    expect(bench.has('var/lib/crate/credentials.json')).toBe(false);
  });

  it('meters nothing without a product code, and leaves upgrades to others where that is asked for', async () => {
    Object.assign(bench.settings, { CRATE_PRODUCT_CODE: '', CRATE_SELF_UPGRADE: 'off' });
    await bench.plan('succeed');
    expect(await bench.boot()).toBe(0);
    expect((await bench.calls()).join('\n')).not.toMatch(/--marketplace-product-code|--self-upgrade/);
  });

  it('calls the command line as that takes it', async () => {
    await bench.plan('succeed');
    await bench.boot();
    const [call = ''] = (await bench.calls()).filter((each) => each.startsWith('crate bootstrap'));
    const command = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8').split('\n#### crate bootstrap aws\n')[1] ?? '';
    const [known = ''] = command.split('\n#');
    const options = call.match(/ --[a-z-]+/g) ?? [];
    expect(options.length).toBeGreaterThan(10);
    expect(options.filter((option) => !known.includes(`\`${option.trim()}`))).toEqual([]);
  });

  it('mounts the data volume whenever the machine is started again, and leaves it to whoever removes the platform', async () => {
    await bench.plan('succeed');
    await bench.boot();
    const before = (await bench.calls()).length;
    await bench.stop();
    expect(bench.has('var/lib/cloud/scripts/per-boot/crate-bootstrap')).toBe(true);
    expect(await bench.boot()).toBe(0);

    expect((await bench.calls()).slice(before)).toEqual([
      expect.stringMatching(/^mountpoint /),
      expect.stringMatching(/^blkid /),
      expect.stringMatching(/^mount .*\/dev\/sdf/),
    ]);
    expect(bench.has(`var/lib/crate/release-${bench.settings['CRATE_RELEASE_SHA256']}/bin/crate`)).toBe(true);
    expect(bench.signals).toHaveLength(1);
  });

  it('keeps the release by the name that the page has, for which commands need no pattern', async () => {
    await bench.plan('succeed');
    await bench.boot();
    const named = [...PAGE.matchAll(/\/(var\/lib\/crate\/release\S*\/crate) /g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !bench.has(path))).toEqual([]);
  });

  it.each([
    { name: 'takes its place', isSigned: true },
    { name: 'is not unpacked where nobody signed it', isSigned: false },
  ])('a newer release that the commands of the page bring $name', async ({ isSigned }) => {
    await bench.plan('succeed');
    await bench.boot();
    if (!isSigned) bench.release.set('SHA256SUMS.sig', Buffer.from('bm90IG9uZQ=='));
    const ended = await bench.type(NEWER.replace('https://releases.example.com/1.2.0', '$CRATE_RELEASE_URL'));

    expect(ended === 0).toBe(isSigned);
    expect(await bench.linkOf('var/lib/crate/release')).toMatch(isSigned ? /\/release-1\.2\.0$/ : /^release-\w{64}$/);
    expect(bench.has('var/lib/crate/release/bin/crate')).toBe(true);
    expect(bench.has('var/lib/crate/release-1.2.0/bin/crate')).toBe(isSigned);
  });

  it('lets the server of PostgreSQL come to its programs, and keeps credentials and what it downloads to itself', async () => {
    await bench.plan('succeed');
    expect(await bench.boot()).toBe(0);

    expect((await bench.calls()).join('\n')).toMatch(/umask 0022 \.=711 credentials\.json=600 /);
    const release = `var/lib/crate/release-${bench.settings['CRATE_RELEASE_SHA256']}`;
    const modes = ['', '/bin', '/bin/crate'].map((path) => bench.modeOf(release + path));
    expect(await Promise.all(modes)).toEqual(['755', '755', '755']);
    expect(await bench.modeOf(`var/lib/crate/${BUNDLE}`)).toBe('600');
    expect(await bench.modeOf('var/log/crate-bootstrap.log')).toBe('600');
  });

  it.each([
    { name: 'a bundle that is another', file: BUNDLE, to: 'not the bundle', reason: 'ChecksumMismatch' },
    {
      name: 'sums that nobody signed',
      file: 'SHA256SUMS',
      to: `${'1'.repeat(64)}  ${BUNDLE}\n`,
      reason: 'SignatureInvalid',
    },
    { name: 'a signature that is none', file: 'SHA256SUMS.sig', to: 'bm90IG9uZQ==', reason: 'SignatureInvalid' },
    { name: 'a release without a bundle', file: BUNDLE, to: undefined, reason: 'ReleaseUnreachable' },
  ])('refuses $name, and says so', async ({ file, to, reason }) => {
    if (to === undefined) bench.release.delete(file);
    else bench.release.set(file, Buffer.from(to));
    await bench.plan('succeed');
    expect(await bench.boot()).toBe(1);

    expect(bench.signals).toMatchObject([{ Status: 'FAILURE', Reason: expect.stringMatching(`^${reason}: .{40,}`) }]);
    expect((await bench.calls()).join()).not.toMatch(/crate |shutdown/);
  });

  it('refuses a release whose signed sums name another bundle than the template', async () => {
    bench.settings['CRATE_RELEASE_SHA256'] = 'a'.repeat(64);
    expect(await bench.boot()).toBe(1);
    expect(bench.signals).toMatchObject([{ Status: 'FAILURE', Reason: expect.stringMatching('^ReleaseMismatch: ') }]);
    expect(asked(BUNDLE_PATH)).toBe(0);
  });

  it('refuses a subnet behind a NAT gateway before anything is made: the platform lets in the address of the stack', async () => {
    bench.seenAddress = '192.0.2.1';
    await bench.plan('succeed');
    expect(await bench.boot()).toBe(1);

    const Reason = expect.stringMatching(/^SubnetNotPublic: .*192\.0\.2\.1.*198\.51\.100\.7/);
    expect(bench.signals).toMatchObject([{ Status: 'FAILURE', Reason }]);
    expect((await bench.calls()).join()).not.toMatch(/crate |shutdown/);
  });

  it('goes on where nobody says which address the machine has', async () => {
    bench.seenAddress = undefined;
    await bench.plan('succeed');
    expect(await bench.boot()).toBe(0);
    expect(bench.signals).toMatchObject([{ Status: 'SUCCESS' }]);
  });

  it('goes on where it was killed, and tells the stack once', async () => {
    await bench.plan('hang', 'succeed');
    expect(await bench.boot('hanging')).toBeNull();
    expect(bench.signals).toEqual([]);
    expect(bench.has('var/lib/cloud/scripts/per-boot/crate-bootstrap')).toBe(true);

    expect(await bench.boot()).toBe(0);
    expect(bench.signals).toMatchObject([{ Status: 'SUCCESS' }]);
    expect(asked(BUNDLE_PATH)).toBe(1);
    expect((await bench.calls()).filter((call) => call.startsWith('mkfs'))).toHaveLength(1);
  });

  it('takes away what an earlier start made, also where it fails before it goes on', async () => {
    await bench.plan('hang', 'succeed');
    await bench.boot('hanging');
    await bench.stop();
    await bench.refuseSecrets(1, 'get');
    expect(await bench.boot()).toBe(1);

    const Reason = expect.stringMatching(/^CredentialsUnreadable: .* What was made has been taken away again\.$/);
    expect(bench.signals).toMatchObject([{ Status: 'FAILURE', Reason }]);
    const rollbacks = (await bench.calls()).filter((call) => call.includes('--rollback'));
    // With the key that it had.
    expect(rollbacks).toEqual([expect.stringContaining('key=AKIDEXAMPLE/a/b+c')]);
  });

  it('reads the credentials though AWS refuses that at first', async () => {
    bench.settings['CRATE_RETRIES'] = '2';
    await bench.plan('succeed');
    await bench.refuseSecrets(2, 'get');
    expect(await bench.boot()).toBe(0);
  });

  it('tries again what fails, and takes it away when it goes on failing', async () => {
    await bench.plan('fail', 'fail', 'succeed');
    expect(await bench.boot()).toBe(1);

    const [signal] = bench.signals;
    expect(signal).toMatchObject({ Status: 'FAILURE' });
    // Why, and below it what to do.
    const words = String.raw`QuotaExceeded: no "address" is left \\ ask for more`;
    const ended = `BootstrapFailed: crate bootstrap ended 2 times with: crate: ${words}`;
    expect(signal?.Reason).toBe(`${ended} What was made has been taken away again.`);
    const starts = (await bench.calls()).filter((call) => call.startsWith('crate bootstrap '));
    expect(starts.map((call) => call.includes('--rollback'))).toEqual([false, false, true]);
  });

  it.each([
    { name: 'takes away what was made', onFailure: 'undo', undone: 1 },
    { name: 'keeps it where that was asked', onFailure: 'keep', undone: 0 },
  ])('ends what hangs while the stack still waits, and $name', async ({ onFailure, undone }) => {
    await bench.plan('hang', 'succeed');
    bench.settings['CRATE_ON_FAILURE'] = onFailure;
    await bench.endTimeWhenHanging();
    expect(await bench.boot()).toBe(1);

    expect(bench.signals).toMatchObject([
      { Status: 'FAILURE', Reason: expect.stringMatching(/^OutOfTime: .*\(7200\).* Waiting for machines/) },
    ]);
    const calls = await bench.calls();
    // Of the two hours 25 minutes are kept, and it is to speak up itself before it is ended.
    const [ended = ''] = calls.filter((call) => call.startsWith('timeout '));
    const [, endedAfter, speaksAfter] = / --kill-after=30 (\d+) .* --timeout (\d+)s\b/.exec(ended) ?? [];
    expect(Number(endedAfter)).toBeLessThanOrEqual(5_700);
    expect(Number(speaksAfter)).toBe(Math.floor((Number(endedAfter) * 3) / 4) + 1);
    const starts = calls.filter((call) => call.startsWith('crate bootstrap '));
    expect(starts.filter((call) => call.includes('--rollback'))).toHaveLength(undone);
  });

  it('counts from its first start, as the stack does, unless somebody else starts it again', async () => {
    await bench.plan('hang', 'hang', 'hang');
    const startedAt = async (): Promise<string> => {
      await bench.boot('hanging');
      return bench.read('var/lib/crate/started');
    };
    const first = await startedAt();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await startedAt()).toBe(first);
    bench.settings['CRATE_ON_FAILURE'] = 'keep';
    expect(await startedAt()).not.toBe(first);
  });

  it.each([
    { name: 'is unmounted', isBusy: false, by: [/^umount \S+\/crate$/] },
    { name: 'is let go of where somebody still uses it', isBusy: true, by: [/^umount \S+\/crate$/, /^umount --lazy /] },
  ])('before the stack hears of a failure the data volume $name: it is detached next', async ({ isBusy, by }) => {
    await bench.plan('fail', 'fail', 'succeed');
    if (isBusy) await bench.keepBusy();
    expect(await bench.boot()).toBe(1);

    expect(bench.signals).toMatchObject([{ Status: 'FAILURE', Reason: expect.stringMatching('^BootstrapFailed: ') }]);
    expect(bench.mountedAtSignal).toEqual([false]);
    const calls = (await bench.calls()).filter((call) => /^(crate|sync|u?mount) /.test(call));
    const ends = calls.slice(calls.findLastIndex((call) => call.startsWith('crate bootstrap')) + 1);
    const wanted = [/^crate down --data-dir \S+\/data\/singleton /, /^sync /, ...by];
    expect(ends).toEqual(wanted.map((each) => expect.stringMatching(each) as unknown));
  });

  it('has the data volume mounted as long as all is well', async () => {
    await bench.plan('succeed');
    await bench.boot();
    expect(bench.mountedAtSignal).toEqual([true]);
  });

  it('says that something is left when it cannot be taken away, and keeps it where that was asked', async () => {
    await bench.plan('fail', 'fail', 'fail');
    expect(await bench.boot()).toBe(1);
    expect(bench.signals[0]?.Reason).toContain('could not be taken away');

    bench.settings['CRATE_ON_FAILURE'] = 'keep';
    await bench.plan('fail', 'fail');
    expect(await bench.boot()).toBe(1);
    expect(bench.signals[1]?.Reason).not.toContain('taken away');
  });

  it('hands the administrator over though AWS refuses that at first', async () => {
    bench.settings['CRATE_RETRIES'] = '2';
    await bench.plan('succeed');
    await bench.refuseSecrets(2);
    expect(await bench.boot()).toBe(0);
    expect(bench.signals).toMatchObject([{ Status: 'SUCCESS' }]);
  });

  it.each([
    { name: 'the bootstrap knows', outcomes: ['fail-past-pivot', 'fail-past-pivot'], rollbacks: 0 },
    { name: 'the databases alone know', outcomes: ['fail', 'fail', 'too-late'], rollbacks: 1 },
  ] as const)(
    'takes nothing away that has taken over, as far as $name, and goes on with all of the time at the next start',
    async ({ outcomes, rollbacks }) => {
      await bench.plan(...outcomes);
      expect(await bench.boot()).toBe(1);
      const said = expect.stringMatching(/^BootstrapFailed: .* start the machine again, and it goes on\.$/);
      expect(bench.signals).toMatchObject([{ Status: 'FAILURE', Reason: said }]);
      expect(bench.mountedAtSignal).toEqual([true]);
      expect((await bench.calls()).filter((call) => call.includes('--rollback'))).toHaveLength(rollbacks);

      const first = await bench.read('var/lib/crate/started');
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      await bench.stop();
      await bench.plan('succeed');
      expect(await bench.boot()).toBe(0);
      expect(await bench.read('var/lib/crate/started')).not.toBe(first);
      expect(bench.signals[1]).toMatchObject({ Status: 'SUCCESS' });
    },
  );

  it.each([
    { name: 'goes on to the end though a stack that has given up', gaveUp: true, ended: 0 },
    { name: 'has not ended while a stack that waits', gaveUp: false, ended: 1 },
  ])('$name cannot be told', async ({ gaveUp, ended }) => {
    if (gaveUp) {
      await bench.plan('fail-past-pivot', 'fail-past-pivot');
      expect(await bench.boot()).toBe(1);
      await bench.stop();
    }
    bench.isHeard = false;
    await bench.plan('succeed', 'succeed');
    expect(await bench.boot()).toBe(ended);

    expect(bench.has('var/lib/crate/done')).toBe(gaveUp);
    expect(bench.has('var/lib/crate/credentials.json')).toBe(!gaveUp);
    expect((await bench.calls()).join('\n').endsWith('shutdown -h now')).toBe(gaveUp);
  });

  it('goes on to the end though a stack whose patience is over was never told', async () => {
    bench.isHeard = false;
    await bench.plan('fail-past-pivot', 'fail-past-pivot');
    expect(await bench.boot()).toBe(1);
    await bench.stop();
    await bench.type('touch -d "3 hours ago" "$CRATE_ROOT/var/lib/cloud/scripts/per-boot/crate-bootstrap"');
    await bench.plan('succeed');
    expect(await bench.boot()).toBe(0);
    expect(bench.has('var/lib/crate/done')).toBe(true);
  });

  it('keeps what has taken over where the administrator cannot be handed over', async () => {
    await bench.plan('fail-past-pivot', 'succeed');
    await bench.refuseSecrets(1);
    expect(await bench.boot()).toBe(1);
    const said = expect.stringMatching(/^AdministratorNotKept: .* it goes on\.$/);
    expect(bench.signals).toMatchObject([{ Status: 'FAILURE', Reason: said }]);
    expect((await bench.calls()).join()).not.toMatch(/--rollback|umount/);
  });

  it('tells no reason that the page does not explain', () => {
    const script = readFileSync(join(ROOT, FOLDER, 'bootstrap.sh'), 'utf8');
    const reasons = [...script.matchAll(/\bfail ([A-Z]\w+)/g)].map(([, reason = '']) => reason);
    expect(reasons.length).toBeGreaterThan(10);
    expect(reasons.filter((reason) => !PAGE.includes(`\`${reason}\``))).toEqual([]);
  });

  it('has settings in the template for all that it reads', () => {
    const script = join(ROOT, FOLDER, 'bootstrap.sh');
    const read = spawnSync('grep', ['-oE', '\\$\\{?CRATE_[A-Z0-9_]+', script], { encoding: 'utf8' }).stdout;
    const names = new Set(
      read
        .trim()
        .split('\n')
        .map((each) => each.replace(/^\$\{?/, '')),
    );
    const OWN = ['ROOT', 'ADDRESS_URL', 'ATTEMPTS', 'RETRIES', 'PAUSE_SECONDS', 'RESERVE_SECONDS'].map(
      (name) => `CRATE_${name}`,
    );
    const template = spawnSync('grep', ['-oE', 'export CRATE_[A-Z0-9_]+', join(ROOT, FOLDER, 'crate.template.yaml')], {
      encoding: 'utf8',
    }).stdout;
    expect([...names].filter((name) => !OWN.includes(name) && !template.includes(`export ${name}\n`))).toEqual([]);
  });
});
