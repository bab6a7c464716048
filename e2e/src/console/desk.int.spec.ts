import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { eventually, findChromium, launchChromium, type Browser, type Page } from '@crate/testing';
import { CrateUser } from '../crate-user.js';
import { Receivers } from '../notifications/receivers.js';
import { ConsoleStage } from './console-stage.js';
import { firstLoadBytes } from './first-load.js';
import { readableTokens } from './page-guard.js';
import { story } from './story.js';
import { DESK, PHONE, Visitor } from './visitor.js';

/** Asking who is signed in, before anybody is. */
const NOBODY_YET = /^401 GET \/console\/session$/;
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
/** What the first page may load of scripts, as it is transferred. */
const FIRST_LOAD_BYTES = 300_000;
const LONG = { timeout: 120_000 };
/** What the journey of the cluster showed, in the order it showed it. */
const STEPS_SEEN = `window.stepsSeen = []; new MutationObserver(() => {
  for (const step of document.querySelectorAll('.pf-v6-c-progress-stepper [aria-label]')) {
    const text = step.getAttribute('aria-label');
    if (!window.stepsSeen.includes(text)) window.stepsSeen.push(text);
  }
}).observe(document.body, { subtree: true, childList: true, attributes: true })`;

/** Whether the page ever said that it is connected again: it does so for a few seconds only. */
const BACK_SEEN = `window.backSeen = false; new MutationObserver(() => {
  window.backSeen ||= document.body.textContent.includes('Connected again');
}).observe(document.body, { subtree: true, childList: true, characterData: true })`;

const isThere = findChromium() !== undefined;
const step = story(() => ada);
const suite = isThere ? describe : describe.skip;

let stage: ConsoleStage;
let browser: Browser;
let user: CrateUser;
let ada: Visitor;
let page: Page;

/** In order: one story of one cluster. */
suite(`the console at a desk${isThere ? '' : ' (skipped: there is no Chromium in PATH)'}`, () => {
  beforeAll(async () => {
    // A little latency, so that there is something to watch.
    [stage, browser] = await Promise.all([ConsoleStage.start(0.2), launchChromium()]);
    user = await CrateUser.of(stage.platform);
    ada = await Visitor.open(browser, { origin: stage.platform.url, size: DESK, alsoAt: PHONE });
    page = ada.page;
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.stop();
  });
  afterEach(() => expect(ada.guard.problems()).toEqual([]));

  step('lets in who has a token, and leads them to where they wanted to go', async () => {
    await ada.go('/projects?q=team');
    await ada.heading('Sign in to Crate');
    expect(await ada.findings('sign in')).toEqual([]);
    await ada.signIn('not-a-token');
    await page.getByText('This token is not accepted').waitFor();
    expect(await ada.findings('token refused')).toEqual([]);
    await ada.signIn(await stage.adminToken());
    await ada.heading('Projects');
    expect(new URL(page.url()).search).toBe('?q=team');
    expect(await ada.findings('no project')).toEqual([]);
    expect(ada.guard.problems(NOBODY_YET, /^401 POST \/console\/session$/)).toEqual([]);
  });

  step('keeps the token where no script finds it', async () => {
    expect(await readableTokens(page, await stage.adminToken())).toEqual([]);
    expect(await ada.context.cookies()).toMatchObject([{ httpOnly: true, secure: true, sameSite: 'Strict' }]);
  });

  step('shows an empty fleet, with less than 300 kB of scripts', async () => {
    await page.getByRole('link', { name: 'Fleet' }).click();
    await page.getByRole('heading', { name: 'There is no cluster yet' }).waitFor();
    expect(await ada.findings('empty fleet')).toEqual([]);
    const { scripts } = await firstLoadBytes(browser, ada);
    expect(scripts).toBeGreaterThan(50_000);
    expect(scripts).toBeLessThan(FIRST_LOAD_BYTES);
  });

  step('makes a Project', async () => {
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('button', { name: 'Create Project' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('team-a');
    await dialog.getByLabel('Name for people').fill('Team A');
    expect(await ada.findings('create project')).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await ada.heading(/Team A|team-a/);
    await user.applyAccount();
  });

  step('makes a cluster step by step, and says at once what is wrong', async () => {
    await page.getByRole('link', { name: 'New cluster' }).click();
    await ada.heading('New cluster');
    expect(await ada.findings('wizard empty')).toEqual([]);
    await page.getByLabel('Project').selectOption('team-a');
    await page.getByLabel('Name').fill('Demo!');
    await page
      .getByText(/metadata\.name/)
      .first()
      .waitFor();
    expect(await ada.findings('wizard wrong name')).toEqual([]);
    await page.getByLabel('Name').fill('demo');
    await page.getByRole('button', { name: 'Next: Cloud' }).click();
    await page.getByLabel('Cloud account').selectOption('sandbox');
    await page.getByLabel('Region').fill('me-south-1');
    await page
      .getByText(/cluster-region-allowed/)
      .first()
      .waitFor();
    expect(await ada.findings('wizard denied region')).toEqual([]);
    await page.getByLabel('Region').fill('us-east-1');
    await page.getByText('It can be made as it is').waitFor();
    for (const step of ['Kubernetes', 'Network', 'Machines', 'Add-ons']) {
      await page.getByRole('button', { name: `Next: ${step}` }).click();
      expect(await ada.findings(`wizard ${step}`)).toEqual([]);
    }
    await page.getByLabel(/Documentation/).check();
    await page.getByRole('button', { name: 'Next: Review' }).click();
    await page.getByText('594.20 USD/month').waitFor();
    expect(await ada.findings('wizard review')).toEqual([]);
    expect(ada.guard.problems(new RegExp(`^4(22|03) POST ${CLUSTERS}$`))).toEqual([]);
  });

  step('shows how it comes up, with its log, without anybody asking again', async () => {
    await page.evaluate(STEPS_SEEN);
    await page.getByRole('button', { name: 'Create cluster', disabled: false }).click();
    await ada.heading('demo');
    // Before anything else is opened: on a busy machine that may take longer than this is shown.
    await page.getByLabel('Cloud resources: Under way').waitFor({ state: 'attached' });
    const logs = await ada.context.newPage();
    await logs.goto(`${stage.platform.url}/console/clusters/team-a/demo/logs?q=Apply+complete`);
    expect(await ada.findings('cluster coming up')).toEqual([]);
    await page.getByText('Healthy', { exact: true }).waitFor(LONG);
    await logs.getByText(/\/ [1-9]/).waitFor();
    await logs.close();
    const seen = await page.evaluate<readonly string[]>('window.stepsSeen');
    const inOrder = ['Cloud resources: Under way', 'Kubernetes: Under way', 'Add-ons: Done'];
    expect(seen.filter((step) => inOrder.includes(step))).toEqual(inOrder);
    expect(await ada.findings('cluster ready')).toEqual([]);
  });

  step('shows all of its parts', async () => {
    const tabs = page.getByRole('navigation', { name: 'Parts of the cluster' });
    for (const tab of ['Tree', 'Logs', 'Plans', 'Node pools', 'Add-ons', 'State']) {
      await tabs.getByRole('link', { name: tab }).click();
      expect(await ada.findings(`cluster ${tab}`)).toEqual([]);
    }
    await tabs.getByRole('link', { name: 'Tree' }).click();
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.getByRole('img', { name: /^KubernetesCluster demo/ }).waitFor();
    expect(await ada.findings('cluster graph')).toEqual([]);
    await tabs.getByRole('link', { name: 'Overview' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download kubeconfig' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain('current-context: demo');
  });

  step('scales a pool within the quota of its Project, and not beyond', async () => {
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('link', { name: 'team-a' }).click();
    await page.getByRole('button', { name: 'Change quotas' }).click();
    await page.getByLabel('Machines, control planes included').fill('7');
    expect(await ada.findings('quota dialog')).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('6 of 7 used').waitFor();
    expect(await ada.findings('project with quota')).toEqual([]);

    await ada.go('/clusters/team-a/demo/nodes');
    await page.getByRole('button', { name: 'Scale workers' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'One more' }).click();
    await dialog.getByRole('button', { name: 'One more' }).click();
    await dialog.getByText(/quota/i).first().waitFor();
    expect(await ada.findings('scale beyond quota')).toEqual([]);
    await dialog.getByRole('button', { name: 'One fewer' }).click();
    await dialog.getByText('nodes that join: demo-workers-3').waitFor();
    expect(await ada.findings('scale')).toEqual([]);
    await dialog.getByRole('button', { name: 'Scale', exact: true }).click();
    await page.getByText('7 of 7 nodes ready').waitFor(LONG);
    await page.getByText('Healthy', { exact: true }).waitFor(LONG);
    expect(ada.guard.problems(new RegExp(`^403 PATCH ${CLUSTERS}/demo$`))).toEqual([]);
  });

  step('has a channel told of what happens, and says why it could not be', async () => {
    const receivers = await Receivers.start();
    try {
      await page.getByRole('link', { name: 'Projects' }).click();
      await page.getByRole('link', { name: 'team-a' }).click();
      await page.getByRole('main').getByRole('link', { name: 'Notifications' }).click();
      await page.getByRole('heading', { name: 'Nobody is told of anything yet' }).waitFor();
      expect(await ada.findings('no channel')).toEqual([]);
      await addChannel(`${receivers.url}/hook`);
      await page.getByRole('link', { name: 'alerts' }).click();
      await ada.heading('alerts');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('heading', { name: 'The test arrived' }).waitFor();
      await page.getByRole('row', { name: /NotificationChannel\/alerts Test.*Delivered/ }).waitFor();
      expect(await ada.findings('channel')).toEqual([]);
      expect(receivers.at('/hook').length).toBeGreaterThan(0);
    } finally {
      await receivers.stop();
    }
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('heading', { name: 'The test did not arrive' }).waitFor();
    await page
      .getByRole('row', { name: /NotificationChannel\/alerts Test.*Failed.*The receiver refuses connections/ })
      .waitFor();
    expect(await ada.findings('channel out of reach')).toEqual([]);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'There is no channel alerts in team-a' }).waitFor();
    expect(ada.guard.problems(/^4(00|22) POST .*\/notificationchannels$/, /^404 GET .*\/deliveries$/)).toEqual([]);
  });

  step('knows who set the quota', async () => {
    await ada.go('/audit?resource=projects&name=team-a&verb=patch');
    await page.getByRole('button', { name: /patch projects/ }).click();
    await page.getByRole('dialog').getByRole('row', { name: '/spec/quotas/nodes nothing 7' }).waitFor();
    expect(await ada.findings('audit entry')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await ada.findings('audit')).toEqual([]);
  });

  step('goes anywhere by keyboard alone', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('demo');
    await page.getByRole('menuitem', { name: /demo/ }).waitFor();
    expect(await ada.findings('palette')).toEqual([]);
    await page.keyboard.press('Enter');
    await ada.heading('demo');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await ada.heading('New cluster');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('team-a');
    await page.getByRole('menuitem', { name: /^team-a/ }).waitFor();
    await page.keyboard.press('Enter');
    await ada.heading(/Team A|team-a/);
  });

  step('edits YAML, tries it at the server, and only then applies it', async () => {
    await ada.go('/clusters/team-a/demo/yaml');
    await appendToYaml('  deletionProtection: maybe\n');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page
      .getByText(/deletionProtection/)
      .last()
      .waitFor();
    await page.getByText('This was not done').first().waitFor();
    expect(await ada.findings('YAML refused')).toEqual([]);
    await typeOverLines('z');
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await appendToYaml('  deletionProtection: true\n');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByLabel('What would change in the cluster').first().waitFor();
    expect(await ada.findings('YAML dry run')).toEqual([]);
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByText('Protected from deletion').first().waitFor();
    expect(ada.guard.problems(new RegExp(`^4(00|22) PUT ${CLUSTERS}/demo$`))).toEqual([]);
  });

  step('makes a plan of a change, and carries it out once it is approved', async () => {
    await appendToYaml('  maxImpact: replace\n');
    await page.getByRole('button', { name: 'Make a plan of it' }).click();
    await page.getByText('Can be approved').first().waitFor(LONG);
    expect(await ada.findings('plan')).toEqual([]);
    await page.getByRole('button', { name: 'Approve, and carry it out' }).click();
    await page.getByText('Done', { exact: true }).first().waitFor(LONG);
    expect(await ada.findings('plan done')).toEqual([]);
  });

  step(
    'shows what breaks a rule, and waives it once another person agrees, who signs in at the identity provider',
    async () => {
      await page.getByRole('link', { name: 'Policies' }).click();
      await eventuallyJudged();
      for (const part of ['Compliance', 'Rules', 'Try out', 'Violations']) {
        await page.getByRole('navigation', { name: 'Parts of policies' }).getByRole('link', { name: part }).click();
        expect(await ada.findings(`policies ${part}`)).toEqual([]);
      }
      await page.getByRole('navigation', { name: 'Parts of policies' }).getByRole('link', { name: 'Waivers' }).click();
      await askForWaiver();
      const grace = await Visitor.open(browser, {
        origin: stage.platform.url,
        size: DESK,
        alsoAt: PHONE,
        neighbours: [stage.provider.issuer],
      });
      await grace.go('/policies/waivers?project=team-a');
      await signInAtProvider(grace, 'grace');
      await grace.heading('Policies');
      await grace.page.getByRole('button', { name: 'Approve flow-logs' }).click();
      expect(await grace.findings('waiver approval')).toEqual([]);
      await grace.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
      await page.getByText('In force').waitFor();
      expect(await ada.findings('waiver in force')).toEqual([]);
      expect(await readableTokens(grace.page)).toEqual([]);
      expect(grace.guard.problems(NOBODY_YET)).toEqual([]);
      await grace.close();
      await ada.go('/policies/violations?project=team-a&result=skip');
      await page.getByRole('heading', { name: /network's traffic is logged/ }).waitFor();
    },
  );

  step('says when the platform is out of reach, and is live again by itself', async () => {
    await ada.go('/');
    await page.getByRole('row', { name: /demo/ }).waitFor();
    await page.evaluate(BACK_SEEN);
    await stage.withoutLifecycle(async () => {
      await page.getByText('The platform cannot be reached').first().waitFor();
      expect(await ada.findings('out of reach')).toEqual([]);
    });
    await eventually(() => page.evaluate<boolean>('window.backSeen === true'), { timeoutMs: LONG.timeout });
    expect(await page.evaluate<number>(`document.querySelector('header img').naturalWidth`)).toBeGreaterThan(0);
    // What others do from now on is seen again, on the page that was open all the time.
    await user.pause('demo', true);
    await page.getByRole('row', { name: /demo.*Paused|Paused.*demo/ }).waitFor(LONG);
    expect(await ada.findings('fleet')).toEqual([]);
    await user.pause('demo', false);
    await page.getByRole('row', { name: /demo.*Healthy|Healthy.*demo/ }).waitFor(LONG);
    expect(ada.guard.problems(/^net::ERR_/, /^50\d GET /)).toEqual([]);
  });

  step('leads to signing in when the session is over, and back', async () => {
    const other = await ada.context.newPage();
    await other.goto(`${stage.platform.url}/console/`);
    await other.getByRole('button', { name: /Signed in as/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in to Crate' }).waitFor();
    await other.close();
    // The page that is open may have heard of it already, and be at signing in by itself.
    await ada.go('/audit');
    await ada.heading('Sign in to Crate');
    await ada.signIn(await stage.adminToken());
    await ada.heading('Audit');
    expect(ada.guard.problems(/^401 GET /)).toEqual([]);
  });

  step(
    'deletes the cluster once its name was typed, counts down what is in the way, and proves that nothing is left',
    async () => {
      await stage.platform.crate(
        'sandbox',
        'fault',
        'set',
        'down',
        '--kind',
        'server-error',
        '--type',
        'aws_vpc',
        '--probability',
        '1',
      );
      await ada.go('/clusters/team-a/demo');
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      const dialog = page.getByRole('dialog');
      const submit = dialog.getByRole('button', { name: 'Delete the cluster' });
      await dialog.getByLabel('Type demo to confirm').fill('dem');
      await dialog.getByLabel(/I am an administrator/).check();
      expect(await submit.isDisabled()).toBe(true);
      expect(await ada.findings('delete dialog')).toEqual([]);
      await dialog.getByLabel('Type demo to confirm').fill('demo');
      await submit.click();
      await page.getByText('1 thing is in the way.').waitFor(LONG);
      await page.getByRole('row', { name: /aws_vpc vpc-.* ProviderUnavailable/ }).waitFor();
      expect(await ada.findings('deletion blocked')).toEqual([]);
      await stage.platform.crate('sandbox', 'fault', 'clear', 'down');
      await page.getByText('Nothing of it is left in the account').waitFor(LONG);
      expect(await ada.findings('deletion record')).toEqual([]);
      expect(await stage.platform.inventory()).toEqual([]);
      await page.getByRole('link', { name: 'To the fleet' }).click();
      await page.getByRole('heading', { name: 'There is no cluster yet' }).waitFor();
    },
  );
});

/** After the server said what is wrong with the address. */
async function addChannel(url: string): Promise<void> {
  await page.getByRole('button', { name: 'Add channel' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('alerts');
  await dialog.getByRole('textbox', { name: 'URL', exact: true }).fill('ftp://files.example.org');
  await dialog.getByText('must be an https:// URL').waitFor();
  expect(await ada.findings('channel wrong URL')).toEqual([]);
  await dialog.getByRole('textbox', { name: 'URL', exact: true }).fill(url);
  await dialog.getByText('must be an https:// URL').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function appendToYaml(text: string): Promise<void> {
  await ada.loaded();
  await page.getByRole('textbox', { name: 'YAML of the cluster demo' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(text);
}

/** Over the first three lines: browsers join lines by styles of their own, which the page's policy refuses. */
async function typeOverLines(letter: string): Promise<void> {
  await page.getByRole('textbox', { name: 'YAML of the cluster demo' }).click();
  for (const key of ['Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+End']) await page.keyboard.press(key);
  await page.keyboard.type(letter);
}

/** The first report comes some moments after the cluster. */
async function eventuallyJudged(): Promise<void> {
  await eventually(
    async () => {
      await ada.go('/policies/violations?project=team-a');
      await ada.heading('Policies');
      await ada.loaded();
      return (await page.getByRole('heading', { name: /network's traffic is logged/ }).count()) > 0;
    },
    { timeoutMs: 180_000 },
  );
}

async function askForWaiver(): Promise<void> {
  await page.getByRole('button', { name: 'Ask for a waiver' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('flow-logs');
  await dialog.getByLabel('Rules').fill('aws-vpc-flow-logs');
  await dialog.getByLabel('Why').fill('The network team keeps records of all traffic');
  await dialog.getByLabel('Until').fill(new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10));
  expect(await ada.findings('ask for a waiver')).toEqual([]);
  await dialog.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('Waits for approval').waitFor();
}

/** With a real page of a real provider: who somebody is, then what the console may know of them. */
async function signInAtProvider({ page: theirs }: Visitor, login: string): Promise<void> {
  await theirs.getByRole('link', { name: 'Sign in with corporate' }).click();
  await theirs.locator('input[name=login]').fill(login);
  await theirs.locator('input[name=password]').fill('a-password');
  await theirs.getByRole('button', { name: 'Sign-in' }).click();
  await theirs.getByRole('button', { name: 'Continue' }).click();
}
