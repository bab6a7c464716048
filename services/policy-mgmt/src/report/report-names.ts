/** The report of a Cluster has its name; that of a Project has a name that no Cluster can have. */
const PROJECT = 'project.';

export function projectReportName(project: string): string {
  return `${PROJECT}${project}`;
}

export function isProjectReport(name: string): boolean {
  return name.startsWith(PROJECT);
}
