import type { Commit } from './history.js';

/** What people who use Crate want to know of; other types stay in the history. */
const SECTIONS: readonly { readonly type: string; readonly title: string }[] = [
  { type: 'feat', title: 'New' },
  { type: 'fix', title: 'Mended' },
  { type: 'perf', title: 'Faster' },
];
const FIRST_SECTION = /^## /m;

/** The section of a version: what breaks first, then what is new, mended and faster. */
export function sectionOf(version: string, date: string, commits: readonly Commit[]): string {
  const breaking = commits.filter(({ isBreaking }) => isBreaking);
  const parts = [
    ...part('To mind when upgrading', breaking),
    ...SECTIONS.flatMap(({ type, title }) =>
      part(
        title,
        commits.filter((commit) => commit.type === type),
      ),
    ),
  ];
  return `## ${version} (${date})\n\n${parts.length > 0 ? parts.join('\n') : 'Nothing that is seen from outside.\n'}`;
}

/** The changelog with a section put before those of earlier versions. Throws when it has the version already. */
export function withSection(changelog: string, section: string): string {
  const heading = section.slice(0, section.indexOf(' ('));
  if (changelog.includes(`${heading} (`)) throw new Error(`The changelog already has ${heading.slice(3)}`);
  const at = changelog.search(FIRST_SECTION);
  if (at === -1) return `${changelog.trimEnd()}\n\n${section}`;
  return `${changelog.slice(0, at)}${section}\n${changelog.slice(at)}`;
}

function part(title: string, commits: readonly Commit[]): string[] {
  if (commits.length === 0) return [];
  const lines = commits.map(({ scope, subject, id }) => `- ${scope ? `**${scope}**: ` : ''}${subject} (${id})`);
  return [`### ${title}\n\n${lines.sort().join('\n')}\n`];
}
