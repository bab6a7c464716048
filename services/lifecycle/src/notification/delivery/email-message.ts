import type { Notice } from './cloud-event.js';
import { headlineOf, timesOf } from './words.js';

/** A message as it is handed to the mail server. */
export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  /** One thread for each Cluster, or other object. */
  readonly inReplyTo: string;
  readonly references: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `domain`: of the sender. The same notice gives the same message, by its id too. */
export function emailMessage(notice: Notice, domain: string): EmailMessage {
  const { id, telling } = notice;
  const { severity, object, cluster, project } = telling;
  const thread = `<${cluster?.uid ?? object.uid ?? `${project}.${object.name}`}@${domain}>`;
  return {
    subject: `[${severity}] ${headlineOf(telling)}`,
    text: textOf(notice),
    html: htmlOf(notice),
    messageId: `<${id}@${domain}>`,
    inReplyTo: thread,
    references: thread,
    // Nobody is there to read an answer by a holiday responder.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

function rowsOf(notice: Notice): readonly (readonly [string, string])[] {
  const { telling } = notice;
  const { project, object, part, cluster, severity, reason, field, traceId } = telling;
  return [
    ['Severity', severity],
    ['Project', project],
    ['Object', `${object.kind} ${object.name}`],
    ...(part === undefined ? [] : [['Part', `${part.kind} ${part.name}`] as const]),
    ...(cluster === undefined || object.kind === 'Cluster' ? [] : [['Cluster', cluster.name] as const]),
    ['Reason', reason],
    ['How often', timesOf(notice)],
    ...(field === undefined ? [] : [['Field', field] as const]),
    ...(traceId === undefined ? [] : [['Trace', traceId] as const]),
  ];
}

function textOf(notice: Notice): string {
  const { telling, link } = notice;
  const rows = rowsOf(notice).map(([name, value]) => `${name}: ${value}`);
  return [
    telling.message,
    ...(telling.whatToDo === undefined ? [] : ['', `What to do: ${telling.whatToDo}`]),
    '',
    ...rows,
    ...(link === undefined ? [] : ['', link]),
    '',
  ].join('\n');
}

function htmlOf(notice: Notice): string {
  const { telling, link } = notice;
  const rows = rowsOf(notice).map(
    ([name, value]) =>
      `<tr><td style="padding-right:1em;color:#555">${escaped(name)}</td><td>${escaped(value)}</td></tr>`,
  );
  return [
    '<!doctype html><html><body style="font-family:sans-serif">',
    `<p><strong>${escaped(telling.message)}</strong></p>`,
    ...(telling.whatToDo === undefined ? [] : [`<p>What to do: ${escaped(telling.whatToDo)}</p>`]),
    `<table>${rows.join('')}</table>`,
    ...(link === undefined ? [] : [`<p><a href="${escaped(link)}">Open in the console</a></p>`]),
    '</body></html>',
  ].join('\n');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
