import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Counts } from '../report/assessment.js';
import {
  evidenceTitle,
  waiverEnd,
  type EvidenceResult,
  type EvidenceRule,
  type EvidenceWaiver,
  type SealedEvidence,
} from './evidence.js';

/** Findings that are printed; all of them are in the other formats. */
const MOST_PRINTED = 500;
/** Setting text takes a while, and reviews come in between. */
const BLOCKS_A_TURN = 20;
const MARGIN = 48;

type Doc = InstanceType<typeof PDFDocument>;
type Block = (doc: Doc) => void;

/** The evidence on paper. `compress: false` leaves its text readable, for tests. */
export async function pdfOf(evidence: SealedEvidence, { compress = true } = {}): Promise<Uint8Array> {
  const title = evidenceTitle(evidence);
  const info = { Title: title, Author: 'Crate', Subject: `SHA-256 ${evidence.digest}` };
  const created = { CreationDate: new Date(evidence.generatedAt) };
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    compress,
    info: { ...info, ...created },
  });
  const chunks: Uint8Array[] = [];
  doc.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  const ended = new Promise((resolve) => doc.on('end', resolve));

  for (const [index, block] of blocksOf(title, evidence).entries()) {
    block(doc);
    if (index % BLOCKS_A_TURN === 0) await nextTurn();
  }
  numberPages(doc, evidence.digest);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

function blocksOf(title: string, evidence: SealedEvidence): readonly Block[] {
  const { results, waivers, rules, omitted } = evidence;
  const left = omitted + Math.max(0, results.length - MOST_PRINTED);
  return [
    heading(title, 18),
    ...facts(evidence),
    heading('Summary', 13),
    line(`Rules: ${counts(evidence.summary)}`),
    heading('Frameworks', 13),
    ...evidence.frameworks.flatMap(({ framework, controls, details }) => [
      line(`${framework}: controls ${counts(controls)}`, true),
      ...details
        .filter(({ status }) => status !== 'pass')
        .map(({ control, status, rules: some }) =>
          line(`${word(status)} ${control}: ${some.map(({ policy }) => policy).join(', ')}`),
        ),
    ]),
    heading('Findings', 13),
    ...(results.length === 0 ? [line('None.')] : []),
    ...results.slice(0, MOST_PRINTED).map(finding),
    ...(left > 0 ? [line(`${left} further findings are not printed.`, true)] : []),
    heading('Waivers', 13),
    ...(waivers.length === 0 ? [line('None.')] : []),
    ...waivers.map(waiverBlock),
    heading('Rules in force', 13),
    ...rules.map(ruleBlock),
  ];
}

function facts(evidence: SealedEvidence): readonly Block[] {
  const { generatedAt, generatedBy, judgedAt, clusters, documents, rules, rulesDigest, digest } = evidence;
  return [
    line(`Generated: ${generatedAt} by ${generatedBy}`),
    line(`Last judged: ${judgedAt}`),
    line(`Covers: ${clusters} clusters, ${documents} documents, ${rules.length} rules`),
    line(`Rules in force: ${rulesDigest}`),
    line(`SHA-256 of this evidence (as canonical JSON): ${digest}`),
    (doc) => void doc.moveDown(2).text('Signed: ____________________________    Date: ______________'),
  ];
}

function finding(result: EvidenceResult): Block {
  const { project, cluster, policy, severity, resource, field, message, remedy, waiver, since } = result;
  return (doc) => {
    line(`${word(result.result)} ${policy} (${severity}) in ${project}/${cluster}`, true)(doc);
    line(`${resource} ${field}: ${message}`)(doc);
    line(`${remedy}${waiver === '' ? '' : ` - waiver ${waiver}`} - since ${since}`)(doc);
    doc.moveDown(0.4);
  };
}

function waiverBlock(waiver: EvidenceWaiver): Block {
  const { name, policies, clusters, reason, ticket, requestedBy, approvedBy, approvedAt, expiresAt } = waiver;
  return (doc) => {
    line(`${name}: ${policies.join(', ')}, clusters ${clusters.length === 0 ? 'all' : clusters.join(', ')}`, true)(doc);
    line(`${reason}${ticket === '' ? '' : ` (${ticket})`}`)(doc);
    line(`Asked by ${requestedBy}, approved by ${approvedBy} ${approvedAt}, until ${expiresAt}`)(doc);
    if (waiverEnd(waiver) !== '') line(waiverEnd(waiver), true)(doc);
    doc.moveDown(0.4);
  };
}

function ruleBlock({
  policy,
  title,
  level,
  enforcement,
  generation,
  revision,
  status,
  references,
}: EvidenceRule): Block {
  return (doc) => {
    line(`${word(status)} ${policy}: ${title}`, true)(doc);
    const where = references.length === 0 ? '' : ` - ${references.join('; ')}`;
    line(`${level}, ${enforcement}, version ${generation}, ${revision.slice(0, 16)}${where}`)(doc);
  };
}

function heading(text: string, size: number): Block {
  return (doc) => void doc.moveDown(0.8).font('Helvetica-Bold').fontSize(size).text(printable(text)).moveDown(0.3);
}

function line(text: string, isBold = false): Block {
  return (doc) =>
    void doc
      .font(isBold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(9)
      .text(printable(text));
}

function counts({ pass, fail, warn, error, skip }: Counts): string {
  return `${pass} pass, ${fail} fail, ${warn} warn, ${error} error, ${skip} waived`;
}

function word(outcome: string): string {
  return (outcome === 'skip' ? 'waived' : outcome).toUpperCase();
}

function numberPages(doc: Doc, digest: string): void {
  const { start, count } = doc.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    doc.switchToPage(page);
    // Text below the margin would begin a page of its own.
    doc.page.margins.bottom = 0;
    const text = `${digest.slice(0, 16)} - page ${page + 1} of ${count}`;
    doc
      .font('Helvetica')
      .fontSize(8)
      .text(text, MARGIN, doc.page.height - MARGIN / 2, { lineBreak: false });
  }
}

/** The fonts that every reader has know Latin-1. */
function printable(text: string): string {
  const plain = text.replaceAll('…', '...').replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"').replaceAll(/[–—]/g, '-');
  return plain.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?');
}
