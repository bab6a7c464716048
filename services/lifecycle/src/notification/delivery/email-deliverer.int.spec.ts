import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestAuthority } from '@crate/testing';
import { smtpConfig } from '../notification-config.js';
import type { Outcome } from '../outbox.js';
import { retryPauses } from '../retry-pauses.js';
import { aChannel, aTelling } from '../testing/a-channel.js';
import { MailServer } from '../testing/mail-server.js';
import { EmailDeliverer, type EmailOptions } from './email-deliverer.js';

const EMAIL = { to: ['ada@example.org', 'bob@example.com'] };

let mail: MailServer;
beforeAll(async () => {
  mail = await MailServer.start();
});
afterAll(async () => mail.stop());
beforeEach(() => {
  mail.mails.splice(0);
  mail.refusal = undefined;
  mail.greeting = undefined;
  mail.scanMs = 0;
  mail.senderRefusal = undefined;
  mail.refusals.clear();
});

function channel(email: object = EMAIL): ReturnType<typeof aChannel> {
  return aChannel({ type: 'email', webhook: undefined, email });
}

function deliverer(config: object = {}, options: Partial<EmailOptions> = {}): EmailDeliverer {
  const parsed = smtpConfig.parse({ url: mail.url, from: 'crate@example.org', ...config });
  return new EmailDeliverer(parsed, { timeoutMs: 60_000, ...options });
}

function deliver(to = deliverer(), outstanding?: readonly string[], email: object = EMAIL): Promise<Outcome> {
  const notice = { id: 'id-1', telling: aTelling(), occurrences: 1 };
  const { signal } = new AbortController();
  return to.deliver({ channel: channel(email), secrets: {}, notice, signal, ...(outstanding ? { outstanding } : {}) });
}

/** Who got a message, and how often. */
function recipients(): readonly string[] {
  return mail.mails.flatMap(({ to }) => to);
}

describe('e-mail', () => {
  it('goes to everybody who is named, as text and HTML, in the thread of the Cluster', async () => {
    expect(await deliver()).toMatchObject({ kind: 'Delivered' });
    const [{ to, from, source } = { to: [], from: '', source: '' }] = mail.mails;
    expect({ to, from }).toEqual({ ...EMAIL, from: 'crate@example.org' });
    expect(source).toMatch(/^Message-ID: <id-1@example\.org>/im);
    expect(source).toMatch(/^References: <cluster-uid@example\.org>/im);
    expect(source).toMatch(/^Content-Type: multipart\/alternative/im);
    expect(source).toContain('The quota of machines is spent');
  });

  it.each([
    { code: 451, want: 'Retry' },
    { code: 550, want: 'Failed' },
  ])('that the server refuses with $code means $want', async ({ code, want }) => {
    mail.refusal = code;
    expect(await deliver()).toMatchObject({ kind: want, detail: expect.stringContaining('Not now') });
  });

  it.each([
    { reason: 'the greeting', want: 'Retry', how: { greeting: 554 } },
    { reason: 'the platform as a sender', want: 'Retry', how: { senderRefusal: 530 } },
    { reason: 'the size', want: 'Failed', how: { senderRefusal: 552 } },
  ])('that the server refuses for $reason means $want', async ({ want, how }) => {
    Object.assign(mail, how);
    expect(await deliver()).toMatchObject({ kind: want });
  });

  it('is waited for where the server looks at it before it takes it', async () => {
    mail.scanMs = 500;
    const url = `${mail.url}?connectionTimeout=60000&greetingTimeout=60000`;
    expect(await deliver(deliverer({ url }, { timeoutMs: 100 }))).toMatchObject({ kind: 'Delivered' });
    expect(mail.mails).toHaveLength(1);
  });

  it('that is not taken for one yet goes to that one later, and to nobody twice', async () => {
    mail.refusals.set('bob@example.com', [451]);
    const first = await deliver();
    expect(first).toMatchObject({ kind: 'Retry', outstanding: ['bob@example.com'] });
    expect(await deliver(deliverer(), first.outstanding)).toMatchObject({ kind: 'Delivered' });
    expect(recipients()).toEqual(EMAIL.to);
    expect(mail.mails[1]?.source).toMatch(/^To: ada@example\.org, bob@example\.com/im);
  });

  it('that is not taken for one again and again keeps saying that others have it', async () => {
    mail.refusals.set('bob@example.com', [451, 451]);
    let outstanding: readonly string[] | undefined;
    for (const attempt of [1, 2]) {
      const how = await deliver(deliverer(), outstanding);
      expect(how).toMatchObject({ kind: 'Retry', outstanding: ['bob@example.com'] });
      const pauses = retryPauses(how, { ofMessage: attempt, inARow: attempt }, { retryMs: 1, longestRetryMs: 9 });
      expect(pauses).toMatchObject({ channelMs: 0 });
      ({ outstanding } = how);
    }
    mail.refusal = 451;
    expect(await deliver(deliverer(), outstanding)).not.toHaveProperty('outstanding');
  });

  it.each([
    { reason: 'others have it', codes: { 'bob@example.com': [550] }, taken: ['ada@example.org'] },
    { reason: 'nobody has it', codes: { 'ada@example.org': [550], 'bob@example.com': [550] }, taken: [] },
  ])('that is refused for somebody for good says so, where $reason', async ({ codes, taken }) => {
    for (const [address, refusals] of Object.entries(codes)) mail.refusals.set(address, refusals);
    expect(await deliver()).toMatchObject({ kind: 'Failed', reason: 'RecipientRefused' });
    expect(recipients()).toEqual(taken);
  });

  it('is not sent to who was taken out of the channel meanwhile', async () => {
    expect(await deliver(deliverer(), ['eve@example.org'])).toMatchObject({ kind: 'Delivered' });
    expect(recipients()).toEqual([]);
  });

  it('is tried again while the server is away', async () => {
    const away = deliverer({ url: 'smtp://127.0.0.1:1' });
    expect(await deliver(away)).toMatchObject({ kind: 'Retry' });
    expect(await deliver(away, ['bob@example.com'])).not.toHaveProperty('outstanding');
  });
});

describe('e-mail over TLS', () => {
  let directory: string;
  let authority: TestAuthority;
  let secure: MailServer;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-email-'));
    authority = await TestAuthority.create(directory);
    secure = await MailServer.start(await authority.issue('mail'));
  });
  afterAll(async () => {
    await secure.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('arrives at a server whose authority is named', async () => {
    expect(await deliver(deliverer({ url: secure.url }, { ca: authority.certificate }))).toMatchObject({
      kind: 'Delivered',
    });
    expect(secure.mails).toHaveLength(1);
  });

  it('does not go to a mail server that nobody vouches for, and says what operators do', async () => {
    const detail = expect.stringContaining('CRATE_NOTIFICATION_CA_FILE');
    expect(await deliver(deliverer({ url: secure.url }))).toMatchObject({ kind: 'Retry', detail });
  });
});

describe('another sender', () => {
  const from = 'boss@example.org';

  it('is where answers go, and does not sign for what a Project has sent', async () => {
    await deliver(deliverer(), undefined, { ...EMAIL, from });
    const [taken] = mail.mails;
    expect(taken?.from).toBe('crate@example.org');
    expect(taken?.source).toMatch(/^From: crate@example\.org\r?$/im);
    expect(taken?.source).toMatch(/^Reply-To: boss@example\.org\r?$/im);
  });

  it.each([['Boss@Example.org'], ['*@example.org']])(
    'is one where operators allow it: %s',
    async (...allowedSenders) => {
      await deliver(deliverer({ allowedSenders }), undefined, { ...EMAIL, from });
      expect(mail.mails).toMatchObject([{ from }]);
      expect(mail.mails[0]?.source).not.toMatch(/^Reply-To:/im);
    },
  );
});

describe('what is in the way of e-mail', () => {
  it.each([
    { reason: 'SmtpNotConfigured', config: { url: undefined }, email: EMAIL },
    { reason: 'SenderNotAllowed', config: {}, email: { ...EMAIL, from: 'boss@example.com' } },
    { reason: 'RecipientNotAllowed', config: { allowedDomains: ['example.org'] }, email: EMAIL },
  ])('is told: $reason', ({ reason, config, email }) => {
    expect(deliverer(config).hindrance(channel(email))).toMatchObject({ reason, message: expect.any(String) });
  });

  it('is nothing where all is as it should be', () => {
    expect(deliverer().hindrance(channel({ ...EMAIL, from: 'team-a@example.org' }))).toBeUndefined();
    const both = { allowedDomains: ['Example.ORG', ' example.com '] };
    expect(deliverer(both).hindrance(channel())).toBeUndefined();
  });
});
