import type { ExportFormat, PolicyReport } from '@crate/api';
import { badRequest } from '@crate/errors';
import { subresourceFile } from '@crate/resource-client';
import { canonicalJson, type SubresourceHandler } from '@crate/resource-server';
import type { PolicyHistory } from '../history/policy-history.js';
import type { ClusterKey } from '../memory/remembered-document.js';
import { isProjectReport } from '../report/report-names.js';
import { csvOf } from './csv.js';
import type { EvidenceGatherer } from './evidence-gatherer.js';
import type { SealedEvidence } from './evidence.js';
import { htmlOf } from './html.js';
import { sarifOf } from './sarif.js';

interface Format {
  readonly extension: string;
  readonly mediaType: string;
  readonly write: (evidence: SealedEvidence) => string | Promise<Uint8Array>;
}

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  csv: { extension: 'csv', mediaType: 'text/csv; charset=utf-8; header=present', write: csvOf },
  json: { extension: 'json', mediaType: 'application/json', write: (evidence) => `${canonicalJson(evidence)}\n` },
  sarif: {
    extension: 'sarif',
    mediaType: 'application/sarif+json',
    write: (evidence) => `${JSON.stringify(sarifOf(evidence), undefined, 2)}\n`,
  },
  html: { extension: 'html', mediaType: 'text/html; charset=utf-8', write: htmlOf },
  pdf: {
    extension: 'pdf',
    mediaType: 'application/pdf',
    // Fonts and what unpacks them are loaded by the first who asks for paper, not by each start.
    write: async (evidence) => (await import('./pdf.js')).pdfOf(evidence),
  },
};

export interface ReportSubresourceParts {
  readonly gatherer: Pick<EvidenceGatherer, 'of'>;
  readonly history: Pick<PolicyHistory, 'list'>;
}

/** `export`, `compliance` and `history` of a report. */
export function reportSubresources({
  gatherer,
  history,
}: ReportSubresourceParts): Readonly<Record<string, SubresourceHandler>> {
  return {
    export: {
      read: async (object, _ref, context, { format = 'json' } = {}) => {
        if (!Object.hasOwn(FORMATS, format)) {
          throw badRequest(`format must be one of ${Object.keys(FORMATS).join(', ')}`);
        }
        const { extension, mediaType, write } = FORMATS[format as ExportFormat];
        const content = await write(await gatherer.of(object, context));
        return subresourceFile(`policy-report-${object.metadata.name}.${extension}`, mediaType, content);
      },
    },
    compliance: {
      read: async (object, _ref, context) => {
        const evidence = await gatherer.of(object, context);
        const { scope, judgedAt, summary, frameworks } = evidence;
        return { kind: 'PolicyCompliance', scope, judgedAt, summary, frameworks };
      },
    },
    history: {
      read: async (object) => {
        const key = keyOf(object);
        const points = await history.list(key);
        const told = points.map(({ at, rules, frameworks }) => ({ time: at.toISOString(), rules, frameworks }));
        return { kind: 'PolicyHistory', scope: key, points: told };
      },
    },
  };
}

function keyOf({ metadata: { namespace = '', name } }: PolicyReport): ClusterKey {
  return { namespace, cluster: isProjectReport(name) ? '' : name };
}
