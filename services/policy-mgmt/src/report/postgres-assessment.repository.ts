import type { SqlRunner } from '@crate/database';
import type { ClusterKey } from '../memory/remembered-document.js';
import { AssessmentRepository, type StoredAssessment } from './assessment.repository.js';
import type { Counts } from './assessment.js';

interface Row {
  readonly namespace: string;
  readonly cluster: string;
  readonly rules_digest: string;
  readonly documents_digest: string;
  readonly assessed_at: Date;
  readonly documents: number;
  readonly rules: Readonly<Record<string, Counts>>;
  readonly summary: Counts;
  readonly violations: Readonly<Record<string, number>>;
}

const COLUMNS =
  'namespace, cluster, rules_digest, documents_digest, assessed_at, documents, rules, summary, violations';
const FIND = `SELECT ${COLUMNS} FROM policy_assessments WHERE namespace = $1 AND cluster = $2`;
const OF_PROJECT = `SELECT ${COLUMNS} FROM policy_assessments WHERE namespace = $1 ORDER BY cluster`;
const SAVE = `INSERT INTO policy_assessments (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (namespace, cluster) DO UPDATE SET rules_digest = excluded.rules_digest,
    documents_digest = excluded.documents_digest, assessed_at = excluded.assessed_at, documents = excluded.documents,
    rules = excluded.rules, summary = excluded.summary, violations = excluded.violations`;
const REMOVE = `DELETE FROM policy_assessments WHERE namespace = $1 AND cluster = $2`;
const CLUSTERS = `SELECT namespace, cluster FROM policy_assessments ORDER BY namespace, cluster`;
const VIOLATIONS = `SELECT each.key AS kind, sum(each.value::int)::int AS count
  FROM policy_assessments, jsonb_each_text(violations) AS each GROUP BY each.key`;

/** Numbers in the table `policy_assessments`. */
export class PostgresAssessmentRepository extends AssessmentRepository {
  constructor(private readonly database: SqlRunner) {
    super();
  }

  async find({ namespace, cluster }: ClusterKey): Promise<StoredAssessment | undefined> {
    const row = await this.database.firstRow<Row>(FIND, [namespace, cluster]);
    return row && toAssessment(row);
  }

  async ofProject(namespace: string): Promise<readonly StoredAssessment[]> {
    return (await this.database.rows<Row>(OF_PROJECT, [namespace])).map(toAssessment);
  }

  async save(assessment: StoredAssessment): Promise<void> {
    const { namespace, cluster, rulesDigest, documentsDigest, assessedAt, documents } = assessment;
    const { rules, summary, violations } = assessment;
    const numbers = [Object.fromEntries(rules), summary, violations].map((each) => JSON.stringify(each));
    const values = [namespace, cluster, rulesDigest, documentsDigest, assessedAt, documents, ...numbers];
    await this.database.execute(SAVE, values);
  }

  async remove({ namespace, cluster }: ClusterKey): Promise<void> {
    await this.database.execute(REMOVE, [namespace, cluster]);
  }

  async clusters(): Promise<readonly ClusterKey[]> {
    return this.database.rows<ClusterKey & object>(CLUSTERS);
  }

  async violations(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.database.rows<{ readonly kind: string; readonly count: number }>(VIOLATIONS);
    return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
  }
}

function toAssessment(row: Row): StoredAssessment {
  const { namespace, cluster, documents, summary, violations } = row;
  return {
    namespace,
    cluster,
    rulesDigest: row.rules_digest,
    documentsDigest: row.documents_digest,
    assessedAt: row.assessed_at,
    documents,
    rules: new Map(Object.entries(row.rules)),
    summary,
    violations,
  };
}
