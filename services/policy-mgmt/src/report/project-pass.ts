import type { PolicyHistory } from '../history/policy-history.js';
import type { AssessmentRepository } from './assessment.repository.js';
import { projectReport } from './report-body.js';
import { projectReportName } from './report-names.js';
import type { ReportWriter } from './report-writer.js';
import { rulesByName, type RuleSource } from './rule-source.js';

export interface ProjectPassOptions {
  readonly assessments: AssessmentRepository;
  readonly rules: RuleSource;
  readonly reports: ReportWriter;
  readonly history: PolicyHistory;
}

/** Brings the report of a Project up to date with those of its clusters. */
export class ProjectPass {
  constructor(private readonly options: ProjectPassOptions) {}

  /** False when nothing is known of the Project, and there is no report any more. */
  async run(namespace: string): Promise<boolean> {
    const { assessments, rules: source, reports, history } = this.options;
    const clusters = await assessments.ofProject(namespace);
    const project = { namespace, cluster: '' };
    if (clusters.length === 0) {
      await reports.remove(namespace, projectReportName(namespace));
      await history.remove(project);
      return false;
    }
    await source.ensureFresh();
    const rules = rulesByName(source, namespace);
    await reports.write(projectReport(namespace, clusters, rules));
    await history.note(
      project,
      clusters.map((each) => each.rules),
      rules,
    );
    return true;
  }
}
