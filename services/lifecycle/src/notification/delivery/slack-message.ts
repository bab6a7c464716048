import type { Notice } from './cloud-event.js';
import { isAllClear } from '../telling.js';
import { headlineOf, timesOf } from './words.js';

const ALL_CLEAR = ':white_check_mark:';
const MARK = { Critical: ':rotating_light:', Warning: ':warning:', Info: ':information_source:' } as const;
/** Slack refuses longer ones. */
const LONGEST_HEADER = 150;
const LONGEST_SECTION = 2_900;

/** As an incoming webhook of Slack takes it: blocks, and a text for whoever shows none. */
export function slackMessage(notice: Notice): string {
  const { telling, link } = notice;
  const { severity, message, whatToDo, field, traceId } = telling;
  const headline = headlineOf(telling);
  const facts = [
    severity,
    timesOf(notice),
    ...(field === undefined ? [] : [`Field: ${field}`]),
    ...(traceId === undefined ? [] : [`Trace: ${traceId}`]),
  ];
  const sections = [message, ...(whatToDo === undefined ? [] : [`*What to do:* ${escaped(whatToDo)}`])];
  const [first = '', ...others] = sections;
  return JSON.stringify({
    text: escaped(`${severity}: ${headline}: ${message}`),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(headline, LONGEST_HEADER), emoji: false } },
      markdown(`${isAllClear(telling) ? ALL_CLEAR : MARK[severity]} ${escaped(first)}`),
      ...others.map(markdown),
      ...(link === undefined ? [] : [markdown(`<${link}|Open in the console>`)]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: cut(escaped(facts.join(' · ')), LONGEST_SECTION) }] },
    ],
  });
}

function markdown(text: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text: cut(text, LONGEST_SECTION) } };
}

/** Source: https://api.slack.com/reference/surfaces/formatting#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
