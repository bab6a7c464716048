import { RESULTS, type Journal, type JournalEntry } from './journal.js';

const TITLES = { point: 'kill points', seed: 'schedules' } as const;

/** A table of what was run, each thing once by its last result, and how long it took. */
export function tableOf(journal: Journal): string {
  const head = ['', 'known', 'run', ...RESULTS, 'median', 'longest'];
  const rows = (['point', 'seed'] as const).map((kind) => {
    const entries = lastOfEach(journal.entries.filter((entry) => entry.kind === kind));
    const known = kind === 'point' ? (journal.addresses?.length ?? '') : '';
    const counts = RESULTS.map((result) => entries.filter((entry) => entry.result === result).length);
    const times = entries.map(({ ms }) => ms).sort((left, right) => left - right);
    return [TITLES[kind], known, entries.length, ...counts, seconds(times[times.length >> 1]), seconds(times.at(-1))];
  });
  const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** What broke an invariant whenever it was run. */
export function violatedIn(journal: Journal): readonly string[] {
  const violated = journal.entries.filter(({ result }) => result === 'violated');
  return violated.map(({ at, commit, what, violations = [] }) => {
    const found = violations.map(({ invariant, message }) => `  ${invariant}: ${message.slice(0, 300)}`);
    return [`${at} ${commit} ${what}`, ...found].join('\n');
  });
}

function lastOfEach(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.what} ${entry.schedule ?? ''}`, entry])).values()];
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '' : `${(ms / 1000).toFixed(0)} s`;
}
