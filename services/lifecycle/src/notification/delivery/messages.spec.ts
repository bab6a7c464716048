import { describe, expect, it } from '@jest/globals';
import { CloudEvent } from 'cloudevents';
import { aTelling } from '../testing/a-channel.js';
import { structuredCloudEvent, type Notice } from './cloud-event.js';
import { emailMessage } from './email-message.js';
import { slackMessage } from './slack-message.js';

const LINK = 'https://crate.example.org/console/clusters/team-a/demo';
const NOTICE: Notice = { id: 'id-1', telling: aTelling(), occurrences: 1, link: LINK };
const EVIL = '<script>alert("&")</script>';

interface SlackBody {
  readonly text: string;
  readonly blocks: readonly { readonly type: string; readonly text?: { readonly text: string } }[];
}

describe('a CloudEvent', () => {
  it('is one by the specification, and says all there is', () => {
    const { contentType, body } = structuredCloudEvent(NOTICE);
    const event = JSON.parse(body) as Record<string, unknown>;
    expect(contentType).toMatch(/^application\/cloudevents\+json/);
    expect(new CloudEvent(event).validate()).toBe(true);
    expect(event).toMatchObject({
      specversion: '1.0',
      id: 'id-1',
      type: 'dev.crate.cluster.QuotaExceeded',
      source: '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a',
      subject: 'cluster/demo',
      time: '2026-11-21T10:00:00.000Z',
      severity: 'warning',
      data: {
        ...{ project: 'team-a', reason: 'QuotaExceeded', severity: 'Warning', occurrences: 1, link: LINK },
        ...{ message: 'The quota of machines is spent', whatToDo: 'Ask for a higher quota', traceId: 'trace-1' },
        object: { kind: 'Cluster', name: 'demo', uid: 'cluster-uid' },
        cluster: { name: 'demo', uid: 'cluster-uid' },
      },
    });
  });

  it('is the same each time that it is made', () => {
    expect(structuredCloudEvent(NOTICE)).toEqual(structuredCloudEvent(structuredClone(NOTICE)));
  });
});

describe('a message for Slack', () => {
  it('has blocks, a text for those who show none, and a way on', () => {
    const { text, blocks } = JSON.parse(slackMessage(NOTICE)) as SlackBody;
    expect(text.split('\n')).toEqual([
      'Warning: Cluster team-a/demo: QuotaExceeded: The quota of machines is spent',
      '*What to do:* Ask for a higher quota',
      `<${LINK}|Open in the console>`,
      'Warning · Once, at 2026-11-21T10:00:00.000Z · Trace: trace-1',
    ]);
    expect(blocks.map(({ type }) => type)).toEqual(['header', 'section', 'section', 'section', 'context']);
    expect(blocks[2]?.text?.text).toBe('*What to do:* Ask for a higher quota');
    expect(blocks[3]?.text?.text).toBe(`<${LINK}|Open in the console>`);
  });

  it('shows at a glance that something is over', () => {
    const telling = aTelling({ severity: 'Info', reason: 'Ready', message: 'The cluster is ready' });
    const { blocks } = JSON.parse(slackMessage({ ...NOTICE, telling })) as SlackBody;
    expect(blocks[1]?.text?.text).toBe(':white_check_mark: The cluster is ready');
  });

  it('mentions nobody because a message looks like it', () => {
    const telling = aTelling({ message: 'Ask <!channel> & <@U1>', whatToDo: '<!here>' });
    const { text, blocks } = JSON.parse(slackMessage({ ...NOTICE, telling })) as SlackBody;
    expect(text.replace(`<${LINK}|`, '')).not.toContain('<');
    expect(JSON.stringify(blocks)).not.toContain('<!');
    expect(blocks[1]?.text?.text).toContain('Ask &lt;!channel&gt; &amp; &lt;@U1&gt;');
  });

  it('keeps to the lengths that Slack takes', () => {
    const telling = aTelling({ message: 'm'.repeat(5_000), reason: 'R'.repeat(500) });
    const { blocks } = JSON.parse(slackMessage({ ...NOTICE, telling })) as SlackBody;
    expect(blocks[0]?.text?.text.length).toBeLessThanOrEqual(150);
    expect(blocks[1]?.text?.text.length).toBeLessThanOrEqual(3_000);
  });
});

describe('an e-mail', () => {
  it('says the same as text and as HTML, in the thread of its Cluster', () => {
    const { subject, text, html, messageId, references, inReplyTo } = emailMessage(NOTICE, 'crate.example.org');
    expect(subject).toBe('[Warning] Cluster team-a/demo: QuotaExceeded');
    for (const body of [text, html]) {
      for (const part of ['The quota of machines is spent', 'Ask for a higher quota', LINK, 'trace-1']) {
        expect(body).toContain(part);
      }
    }
    expect(messageId).toBe('<id-1@crate.example.org>');
    expect([references, inReplyTo]).toEqual(['<cluster-uid@crate.example.org>', '<cluster-uid@crate.example.org>']);
  });

  it('holds no markup that a message brings', () => {
    const telling = aTelling({ message: EVIL, whatToDo: EVIL, traceId: EVIL });
    expect(emailMessage({ ...NOTICE, telling }, 'x.org').html).not.toContain('<script>');
  });

  it.each([
    { count: 1, occurrences: 1, want: 'Once, at 2026-11-21T10:05:00.000Z' },
    { count: 2, occurrences: 1, want: '2 times since 2026-11-21T10:00:00.000Z, last at 2026-11-21T10:05:00.000Z' },
    { count: 4, occurrences: 4, want: '4 times since the message before, last at 2026-11-21T10:05:00.000Z' },
    {
      ...{ count: 9, occurrences: 4 },
      want: '4 times since the message before, 9 times since 2026-11-21T10:00:00.000Z, last at 2026-11-21T10:05:00.000Z',
    },
  ])('says how often it happened: $count times in all, $occurrences untold', ({ count, occurrences, want }) => {
    const telling = aTelling({ count, lastAt: '2026-11-21T10:05:00.000Z' });
    const { text } = emailMessage({ ...NOTICE, telling, occurrences }, 'x.org');
    expect(text.split('\n')).toContain(`How often: ${want}`);
  });
});
