import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of the side bar: a page, or a group of them. */
export interface Entry {
  readonly text: string;
  readonly link?: string;
  readonly items?: Entry[];
}

interface Group {
  readonly text: string;
  readonly pages: readonly string[];
  readonly folder?: string;
}

/** Pages by what somebody comes for; a folder brings all its pages along. */
const GROUPS: readonly Group[] = [
  { text: 'Begin', pages: ['README', 'concepts', 'architecture'] },
  { text: 'Tutorials', pages: [], folder: 'tutorials' },
  {
    text: 'Using Crate',
    pages: [
      'console',
      'curl',
      'gitops',
      'cluster-classes',
      'add-ons',
      'plans',
      'following-work',
      'fleet',
      'drift',
      'deletion',
      'notifications',
      'policies',
      'policy-reports',
      'signing-in',
    ],
  },
  { text: 'In a cluster', pages: [], folder: 'using-a-cluster' },
  { text: 'Installing', pages: [], folder: 'install' },
  {
    text: 'Operating',
    pages: [
      'operators-guide',
      'scaling',
      'platform-status',
      'aws-accounts',
      'observability',
      'tracing',
      'backup',
      'terraform-state',
      'orphans',
      'admission-webhook',
      'chaos',
    ],
  },
  { text: 'Releases', pages: [], folder: 'release' },
  { text: 'Security', pages: [], folder: 'security' },
  { text: 'Reference', pages: ['api-reference', 'cli', 'config', 'policy-packs', 'conformance'] },
  { text: 'More to look up', pages: ['runbooks/README', 'adr/README'] },
];
/** Folders with so many pages that their lists stand beside these pages alone. */
const OWN_BAR = ['runbooks', 'adr'];

/** The side bars over the pages in `docs`, by the path they stand at; a page that no group names is under "More". */
export function navigation(docs: string): Record<string, Entry[]> {
  const named = new Set(GROUPS.flatMap(({ pages }) => pages));
  const more = [...pagesIn(docs, ''), ...otherFolders(docs)].filter((page) => !named.has(page));
  const groups = [...GROUPS, { text: 'More', pages: more }].flatMap((group) => {
    const items = itemsOf(docs, group);
    return items.length === 0 ? [] : [{ text: group.text, items }];
  });
  const own = OWN_BAR.map((folder) => [`/${folder}/`, [UP, ...barOf(docs, folder)]] as const);
  return { ...Object.fromEntries(own), '/': groups };
}

/** Pages of folders that no group has, so that none is forgotten. */
function otherFolders(docs: string): string[] {
  const known = new Set([...OWN_BAR, ...GROUPS.map(({ folder }) => folder)]);
  const folders = readdirSync(docs, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.filter(({ name }) => !known.has(name)).flatMap(({ name }) => pagesIn(docs, name));
}

const UP: Entry = { text: 'All of the documentation', link: '/' };

function barOf(docs: string, folder: string): Entry[] {
  return [
    {
      text: titleOf(docs, `${folder}/README`) ?? folder,
      items: pagesIn(docs, folder).map((page) => entry(docs, page)),
    },
  ];
}

function itemsOf(docs: string, { pages, folder }: Group): Entry[] {
  const listed = pages.filter((page) => titleOf(docs, page) !== undefined);
  const inFolder = folder === undefined ? [] : pagesIn(docs, folder);
  return [...listed, ...inFolder].map((page) => entry(docs, page));
}

function entry(docs: string, page: string): Entry {
  return { text: titleOf(docs, page) ?? page, link: `/${page.replace(/(^|\/)README$/, '$1')}` };
}

function pagesIn(docs: string, folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(join(docs, folder));
  } catch {
    return [];
  }
  const place = placesIn(join(docs, folder));
  const pages = names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
  return pages
    .sort((a, b) => (place(a) === place(b) ? (a < b ? -1 : 1) : place(a) - place(b)))
    .map((page) => (folder ? `${folder}/${page}` : page));
}

/** The page that opens a folder comes first, then those that it links to, in its order. */
function placesIn(directory: string): (page: string) => number {
  let opening = '';
  try {
    opening = readFileSync(join(directory, 'README.md'), 'utf8');
  } catch {
    // Pages of a folder without one come by name.
  }
  return (page) => {
    const place = opening.indexOf(`](${page}.md)`);
    return page === 'README' ? -1 : place === -1 ? Infinity : place;
  };
}

/** The first heading of a page, as plain text; undefined when there is no such page. */
function titleOf(docs: string, page: string): string | undefined {
  try {
    const heading = /^# (.+)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))?.[1];
    return heading?.replaceAll('`', '');
  } catch {
    return undefined;
  }
}
