import { spawnSync } from 'node:child_process';

/** What the registry knows of holes in our dependencies. */
export interface AuditResult {
  readonly outcome: 'clean' | 'holes' | 'unknown';
  readonly message: string;
}

interface AuditReport {
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
  readonly error?: { readonly summary?: string };
  readonly message?: string;
}

/** Severities that a release must not go out with. */
const STOPPING = ['high', 'critical'];
const TIMEOUT_MS = 60_000;

/** Asks npm about what is shipped. `unknown` when the registry does not answer the question: then nothing is known. */
export function auditDependencies(directory: string): AuditResult {
  const args = ['audit', '--omit=dev', '--json', '--package-lock-only'];
  const { stdout } = spawnSync('npm', args, { cwd: directory, encoding: 'utf8', timeout: TIMEOUT_MS });
  return readAudit(stdout ?? '');
}

/** What the output of `npm audit --json` means. */
export function readAudit(output: string): AuditResult {
  const report = parsed(output);
  const found = report?.metadata?.vulnerabilities;
  if (found === undefined) {
    const why = report?.error?.summary ?? report?.message ?? 'no answer';
    return {
      outcome: 'unknown',
      message: `Nothing is known of holes in dependencies: the registry cannot be asked (${why})`,
    };
  }
  const counts = STOPPING.map((severity) => `${found[severity] ?? 0} ${severity}`).join(', ');
  const holes = STOPPING.some((severity) => (found[severity] ?? 0) > 0);
  return {
    outcome: holes ? 'holes' : 'clean',
    message: `Holes in packages that are shipped: ${counts} (npm audit --omit=dev)`,
  };
}

function parsed(output: string): AuditReport | undefined {
  try {
    return JSON.parse(output) as AuditReport;
  } catch {
    return undefined;
  }
}
