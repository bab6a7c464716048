import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, findChromium, launchChromium, type Browser } from '@crate/testing';
import { CrateUser, small } from '../crate-user.js';
import { ConsoleStage } from './console-stage.js';
import { CUT_ON_PAPER } from './page-looks.js';
import { SEEN_BY_STRANGER, SEEN_BY_VIEWER, type SeenPage } from './seen-by-role.js';
import { LAPTOP, PHONE, Visitor } from './visitor.js';

const isThere = findChromium() !== undefined;
const suite = isThere ? describe : describe.skip;
const CLUSTER = '/clusters/team-a/demo';
/** A line of the smallest text that people read without a glass. */
const SMALLEST_TEXT_PX = 10;
const OPACITY_OF_TIP = `getComputedStyle(document.querySelector('[role=tooltip]')).opacity`;
const HISTORY = /\/policyreports\/[^/]+\/history/;
/** Paused: nothing is sent to anybody. */
const CHANNEL = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'NotificationChannel',
  metadata: { name: 'alerts', namespace: 'team-a' },
  spec: { type: 'webhook', webhook: { url: 'https://hooks.example.org/crate' }, paused: true },
};
/** Otto may look on. */
const TEAM = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'Project',
  metadata: { name: 'team-a' },
  spec: { displayName: 'Team A', members: [{ kind: 'User', name: 'otto', role: 'viewer' }] },
};
const REFUSALS = /^403 GET /;

let stage: ConsoleStage;
let browser: Browser;
let ada: Visitor;

/** Each page by its address, with its heading. */
const PAGES: readonly (readonly [string, string | RegExp])[] = [
  ['/', 'Fleet'],
  ...['start', 'cloud', 'kubernetes', 'network', 'pools', 'addOns', 'review'].map(
    (step) => [`/create?project=team-a&step=${step}`, 'New cluster'] as const,
  ),
  ...['overview', 'tree', 'logs', 'plan', 'nodes', 'add-ons', 'yaml', 'state'].map(
    (tab) => [`${CLUSTER}/${tab}`, 'demo'] as const,
  ),
  ...['compliance', 'violations', 'rules', 'waivers', 'try'].map((part) => [`/policies/${part}`, 'Policies'] as const),
  ['/policies/rules/cluster-region-allowed', 'Policies'],
  ['/policies/try?what=judge&rule=cluster-region-allowed', 'Policies'],
  ['/projects', 'Projects'],
  ...['overview', 'members', 'accounts', 'keys'].map((part) => [`/projects/team-a/${part}`, /Team A|team-a/] as const),
  ['/notifications', 'Notifications'],
  ['/notifications/team-a/alerts', 'alerts'],
  ['/audit', 'Audit'],
  ['/platform', 'Platform'],
  ['/clusters/team-a/nothing', 'nothing'],
  ['/nowhere', 'There is no such thing'],
];

suite(`the console on a phone${isThere ? '' : ' (skipped: there is no Chromium in PATH)'}`, () => {
  beforeAll(async () => {
    [stage, browser] = await Promise.all([ConsoleStage.start(), launchChromium()]);
    const user = await CrateUser.of(stage.platform);
    await user.applyQuickstart('demo', small);
    await user.apply(CHANNEL);
    await user.apply(TEAM);
    ada = await Visitor.open(browser, { origin: stage.platform.url, size: PHONE });
    await ada.go('/');
    await ada.heading('Sign in to Crate');
    expect(await ada.findings('sign in')).toEqual([]);
    await ada.signIn(await stage.adminToken());
    await ada.heading('Fleet');
    await user.untilReady();
    ada.guard.problems();
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.stop();
  });

  it.each(PAGES)('shows %s without anything to find fault with', async (path, heading) => {
    await ada.go(path);
    await ada.heading(heading);
    expect(await ada.findings(stepOf(path))).toEqual([]);
    expect(ada.guard.problems()).toEqual([]);
  });

  it('shows the same on a small desk, all pages with the ways on', async () => {
    // What a page is drawn and looked at by is one thread: two visitors share them.
    const shares = [0, 1].map((turn) => PAGES.filter((_, index) => index % 2 === turn));
    expect((await Promise.all(shares.map(onDesk))).flat()).toEqual([]);
  });

  /** What somebody at a small desk finds fault with. */
  async function onDesk(pages: typeof PAGES): Promise<readonly string[]> {
    const grace = await Visitor.open(browser, { origin: stage.platform.url, size: LAPTOP });
    await grace.context.addCookies(await ada.context.cookies());
    const findings: string[] = [];
    for (const [path, heading] of pages) {
      await grace.go(path);
      await grace.heading(heading);
      await grace.page.getByRole('navigation').getByRole('link', { name: 'Policies' }).waitFor();
      findings.push(...(await grace.findings(stepOf(path))));
    }
    await grace.close();
    return [...findings, ...grace.guard.problems()];
  }

  it('shows who may look on what they may see, and all else in its place with why it is not for them', async () => {
    const otto = await visitorOf('otto');
    expect(await seenBy(otto, SEEN_BY_VIEWER)).toEqual([]);
    await otto.go(`${CLUSTER}/nodes`);
    const scale = otto.page.getByRole('button', { name: 'Scale workers', disabled: true });
    await scale.focus();
    await otto.page.getByRole('tooltip', { name: 'You may not change a Cluster here' }).waitFor();
    // It fades in, and half-way nobody could read it.
    await eventually(async () => expect(await otto.page.evaluate<string>(OPACITY_OF_TIP)).toBe('1'));
    expect(await otto.findings('refused deed')).toEqual([]);
    await scale.press('Enter');
    expect(await otto.page.getByRole('dialog').count()).toBe(0);
    await otto.close();
  });

  it('shows a stranger nothing of a Project, and says so on each page that they were sent', async () => {
    const mallory = await visitorOf('mallory');
    expect(await seenBy(mallory, SEEN_BY_STRANGER)).toEqual([]);
    await mallory.close();
  });

  async function visitorOf(user: string): Promise<Visitor> {
    const visitor = await Visitor.open(browser, { origin: stage.platform.url, size: PHONE });
    await visitor.go('/');
    await visitor.heading('Sign in to Crate');
    await visitor.signIn(await stage.tokenOf(user));
    await visitor.heading('Fleet');
    visitor.guard.problems();
    return visitor;
  }

  /** What they find fault with; that they are refused what is not for them is none. */
  async function seenBy(visitor: Visitor, pages: readonly SeenPage[]): Promise<readonly string[]> {
    const findings: string[] = [];
    for (const [path, heading, words] of pages) {
      await visitor.go(path);
      await visitor.heading(heading);
      if (words !== undefined) await visitor.page.getByText(words).first().waitFor();
      findings.push(...(await visitor.findings(stepOf(path))));
    }
    return [...findings, ...visitor.guard.problems(REFUSALS)];
  }

  it('draws the trend of a week, which this platform has not lived through: its history is played', async () => {
    const { page } = ada;
    const points = [61, 64, 64, 58, 77, 80, 92].map((pass, day) => {
      const rules = { pass, fail: 100 - pass, warn: 0, error: 0, skip: 0 };
      return { time: `2026-01-${10 + day}T08:00:00Z`, rules };
    });
    await page.route(HISTORY, (route) => route.fulfill({ json: { points } }));
    await ada.go('/policies/compliance?project=team-a');
    await page.getByRole('paragraph').filter({ hasText: 'Rules met went from 61 % to 92 %' }).waitFor();
    await page.getByRole('img', { name: 'Rules met, in percent' }).waitFor();
    const date = await page.getByRole('img', { name: 'Rules met, in percent' }).getByText('Jan').first().boundingBox();
    expect(date?.height).toBeGreaterThanOrEqual(SMALLEST_TEXT_PX);
    expect(await ada.findings('trend')).toEqual([]);
    await page.unroute(HISTORY);
    expect(ada.guard.problems()).toEqual([]);
  });

  it('leaves room beside the graph of the parts to move the page by, when it is held across', async () => {
    const { page } = ada;
    await page.setViewportSize({ width: PHONE.height, height: PHONE.width });
    await ada.go(`${CLUSTER}/tree?view=graph`);
    const graph = await page.getByRole('group', { name: 'What the cluster owns' }).boundingBox();
    expect(graph?.height).toBeLessThan(0.9 * PHONE.width);
    await page.setViewportSize(PHONE);
    expect(ada.guard.problems()).toEqual([]);
  });

  it.each([
    ['/policies/rules', 'Policies'],
    [`${CLUSTER}/overview`, 'demo'],
    [`${CLUSTER}/yaml`, 'demo'],
  ])('prints all of %s, and not only what is in view', async (path, heading) => {
    const { page } = ada;
    await ada.go(path);
    await ada.heading(heading);
    await ada.loaded();
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(CUT_ON_PAPER)).toEqual([]);
    expect(await page.getByRole('banner').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    expect(ada.guard.problems()).toEqual([]);
  });

  it('has its menu behind a button, and room for dialogs', async () => {
    const { page } = ada;
    await ada.go('/');
    await ada.heading('Fleet');
    await page.getByRole('button', { name: 'Main menu' }).click();
    await page.getByRole('link', { name: 'Projects' }).waitFor();
    expect(await ada.findings('menu')).toEqual([]);
    await ada.go(`${CLUSTER}/nodes`);
    await page.getByRole('button', { name: 'Scale workers' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'One more' }).click();
    await page.getByText('nodes that join: demo-workers-1').waitFor();
    expect(await ada.findings('scale')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions' }).click();
    const menu = await page.getByRole('menu').boundingBox();
    expect(menu?.x).toBeGreaterThanOrEqual(0);
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await ada.findings('delete')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Go to anything' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await ada.findings('palette')).toEqual([]);
    const row = { uid: '1', namespace: 'payments', name: 'customer-facing-production-emea', health: 'Healthy' };
    await page.route('**/fleet/clusters?q=customer&*', (route) => route.fulfill({ json: { rows: [row] } }));
    await page.keyboard.type('customer');
    await page.getByRole('menuitem', { name: row.name }).waitFor();
    expect(await ada.findings('palette with a long name')).toEqual([]);
    expect(ada.guard.problems()).toEqual([]);
  });

  it('says all of it when the platform is out of reach', async () => {
    const { page } = ada;
    await ada.go('/');
    await ada.heading('Fleet');
    await page.route('**/livez', (route) => route.abort());
    await page.getByText('The platform cannot be reached').waitFor();
    expect(await ada.findings('out of reach')).toEqual([]);
    await page.unroute('**/livez');
    ada.guard.problems();
  });
});

/** Names a picture. */
function stepOf(path: string): string {
  return path.split('?')[0] === '/create' ? `create ${path.slice(-8)}` : path;
}
