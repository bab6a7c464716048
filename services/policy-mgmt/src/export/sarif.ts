import type { Log, ReportingDescriptor, Result, Run } from 'sarif';
import { waiverEnd, type Evidence, type EvidenceResult, type EvidenceRule, type EvidenceWaiver } from './evidence.js';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** RFC 2119 in the words of SARIF. */
const LEVELS: Readonly<Record<string, 'error' | 'warning' | 'note'>> = {
  must: 'error',
  should: 'warning',
  may: 'note',
};
/** As code scanners sort: https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning */
const SCORES: Readonly<Record<string, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '3.0',
  info: '0.5',
};

/** Findings as SARIF 2.1.0 has them; what is waived is suppressed, with the reason, and by a waiver that was taken back not any more. */
export function sarifOf(evidence: Evidence): Log {
  const places = new Map(evidence.rules.map(({ policy }, index) => [policy, index]));
  const reasons = new Map(evidence.waivers.map((waiver) => [waiver.name, waiver]));
  const fingerprint = fingerprints(evidence.results);
  const { project, cluster } = evidence.scope;
  const run: Run = {
    tool: {
      driver: {
        name: 'Crate',
        fullName: 'Crate policies',
        properties: { rulesDigest: evidence.rulesDigest },
        rules: evidence.rules.map(descriptorOf),
      },
    },
    automationDetails: { id: `crate/${project}/${cluster ?? ''}` },
    invocations: [
      { executionSuccessful: true, ...(evidence.judgedAt === '' ? {} : { endTimeUtc: evidence.judgedAt }) },
    ],
    results: evidence.results.map((result) => ({
      ...resultOf(result, places.get(result.policy), reasons.get(result.waiver)),
      partialFingerprints: { 'crate/v1': fingerprint(result) },
    })),
    properties: { omitted: evidence.omitted, generatedAt: evidence.generatedAt, generatedBy: evidence.generatedBy },
  };
  return { $schema: SCHEMA, version: '2.1.0', runs: [run] };
}

function descriptorOf(rule: EvidenceRule): ReportingDescriptor {
  const { policy, title, description, remedy, level, severity, references } = rule;
  return {
    id: policy,
    shortDescription: { text: title },
    fullDescription: { text: description === '' ? title : description },
    help: { text: remedy },
    defaultConfiguration: { level: LEVELS[level] ?? 'warning' },
    properties: {
      tags: [...references],
      'security-severity': SCORES[severity] ?? '5.5',
      revision: rule.revision,
      category: rule.category,
    },
  };
}

function resultOf(result: EvidenceResult, ruleIndex: number | undefined, waiver: EvidenceWaiver | undefined): Result {
  const { policy, field, message, remedy } = result;
  const place = placeOf(result);
  return {
    ruleId: policy,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    kind: 'fail',
    level: LEVELS[result.level] ?? 'warning',
    message: { text: `${message}. ${remedy}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: encodeURI(place.replaceAll(' ', '/')) } },
        logicalLocations: [{ fullyQualifiedName: `${place} ${field}`, name: field, kind: 'member' }],
      },
    ],
    ...(result.waiver === '' ? {} : { suppressions: [suppressionOf(result.waiver, waiver)] }),
    properties: { outcome: result.result, effect: result.effect, stage: result.stage, since: result.since },
  };
}

function placeOf({ project, cluster, resource }: EvidenceResult): string {
  return `${project}/${cluster}/${resource}`;
}

/** Such as a port or a sum, and not a part of a name. */
const NUMBER = /(?<![\w-])\d+(?:\.\d+)?(?![\w-])/g;

/**
 * By what scanners know a finding again: its place and words, whatever comes and goes beside it. Numbers may change, so they count only
 * where the rest is that of an older finding, as scanners keep one of those that are alike.
 */
function fingerprints(results: readonly EvidenceResult[]): (result: EvidenceResult) => string {
  const taken = new Map<string, EvidenceResult>();
  const alikeOf = (result: EvidenceResult): string =>
    `${result.policy}|${placeOf(result)}|${result.field}|${result.message.replace(NUMBER, '#')}`;
  for (const result of [...results].sort(byAge)) if (!taken.has(alikeOf(result))) taken.set(alikeOf(result), result);
  return (result) => {
    const alike = alikeOf(result);
    return taken.get(alike) === result ? alike : `${alike}|${result.message}`;
  };
}

function byAge(left: EvidenceResult, right: EvidenceResult): number {
  const [one, other] = [`${left.since} ${left.message}`, `${right.since} ${right.message}`];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function suppressionOf(name: string, waiver: EvidenceWaiver | undefined): NonNullable<Result['suppressions']>[number] {
  const end = waiver ? waiverEnd(waiver) : '';
  const why = waiver
    ? `${waiver.reason} (waiver ${name}, approved by ${waiver.approvedBy}, until ${waiver.expiresAt})${end && `. ${end}`}`
    : `Waiver ${name}`;
  return { kind: 'external', status: end === '' ? 'accepted' : 'rejected', justification: why };
}
