import type { Notice } from './cloud-event.js';
import { isAllClear } from '../telling.js';
import { headlineOf, timesOf } from './words.js';

const ALL_CLEAR = ':white_check_mark:';
const MARK = { Critical: ':rotating_light:', Warning: ':warning:', Info: ':information_source:' } as const;
/** Slack refuses longer ones. */
const LONGEST_HEADER = 150;
const LONGEST_SECTION = 2_900;

/** As an incoming webhook of Slack takes it: blocks, and a text that says the same for whoever shows none. */
export function slackMessage(notice: Notice): string {
  const { telling, link } = notice;
  const { severity, message, whatToDo } = telling;
  const headline = headlineOf(telling);
  const facts = cut(escaped(factsOf(notice).join(' · ')), LONGEST_SECTION);
  const others = [
    ...(whatToDo === undefined ? [] : [cut(`*What to do:* ${escaped(whatToDo)}`, LONGEST_SECTION)]),
    ...(link === undefined ? [] : [`<${link}|Open in the console>`]),
  ];
  return JSON.stringify({
    text: [cut(escaped(`${severity}: ${headline}: ${message}`), LONGEST_SECTION), ...others, facts].join('\n'),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(headline, LONGEST_HEADER), emoji: false } },
      markdown(cut(`${isAllClear(telling) ? ALL_CLEAR : MARK[severity]} ${escaped(message)}`, LONGEST_SECTION)),
      ...others.map(markdown),
      { type: 'context', elements: [{ type: 'mrkdwn', text: facts }] },
    ],
  });
}

function factsOf(notice: Notice): readonly string[] {
  const { severity, field, traceId } = notice.telling;
  return [
    severity,
    timesOf(notice),
    ...(field === undefined ? [] : [`Field: ${field}`]),
    ...(traceId === undefined ? [] : [`Trace: ${traceId}`]),
  ];
}

function markdown(text: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

/** Source: https://api.slack.com/reference/surfaces/formatting#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
