import type { PlatformProblem } from '@crate/api';

/** Where to read on. */
export function runbook(alert: string): string {
  return `docs/runbooks/${alert}.md`;
}

type Words = Omit<PlatformProblem, 'severity'>;

/** Something does not work. */
export function critical(words: Words): PlatformProblem {
  return { severity: 'critical', ...words };
}

/** Something works, and will not for long, or not as well as it should. */
export function warning(words: Words): PlatformProblem {
  return { severity: 'warning', ...words };
}
