import type { Client, Result } from './row.js';

const HEAD = `# Conformance

What unmodified clients can do with Crate's API. Every cell is an assertion against a whole platform. \`npm run conformance\`
runs them all and writes this page; \`npm test\` runs those of the oldest and the newest kubectl and of all other clients. The
code is in \`e2e/src/conformance\`.
`;

const PASS = 'yes';
const NOT_TRIED = '–';

/** The cells of a page: family, capability and version to what is in the cell. */
export type Cells = ReadonlyMap<string, string>;

/** Names a cell. */
export function cellKey({ family, capability, version }: Pick<Result, 'family' | 'capability' | 'version'>): string {
  return [family, capability, version].join(' › ');
}

/** What a run says in each cell. */
export function cellsOf(results: readonly Result[]): Cells {
  return new Map(results.map((result) => [cellKey(result), result.error ? 'no' : PASS]));
}

/** The page that a run writes. What `before` says of clients that were not tried this time is kept. */
export function pageOf(clients: readonly Client[], results: readonly Result[], before: Cells): string {
  const cells = new Map([...before, ...cellsOf(results)]);
  const families = [...new Set(clients.map(({ family }) => family))];
  return [HEAD, ...families.map((family) => familyTable(family, clients, cells))].join('\n');
}

/** The cells of a written page. */
export function parsePage(page: string): Cells {
  const cells = new Map<string, string>();
  let family = '';
  let versions: readonly string[] = [];
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) family = line.slice(3);
    if (!line.startsWith('| ') || line.startsWith('| ---')) continue;
    const [first = '', ...rest] = columnsOf(line);
    if (first === 'capability') versions = rest.slice(0, -1);
    else versions.forEach((version, index) => addCell({ family, capability: first, version }, rest[index]));
  }
  return cells;

  function addCell(place: Pick<Result, 'family' | 'capability' | 'version'>, text: string | undefined): void {
    if (text !== undefined && text !== NOT_TRIED) cells.set(cellKey(place), text);
  }
}

function familyTable(family: string, clients: readonly Client[], cells: Cells): string {
  const own = clients.filter((client) => client.family === family);
  const versions = own.map(({ version }) => version);
  const notes = new Map(
    own.flatMap(({ rows }) => rows.map(({ capability, note = '' }) => [capability, note] as const)),
  );
  const rows = [...notes].map(([capability, note]) => [
    capability,
    ...versions.map((version) => cells.get(cellKey({ family, capability, version })) ?? NOT_TRIED),
    note,
  ]);
  return `## ${family}\n\n${table([['capability', ...versions, 'note'], ...rows])}`;
}

/** Aligned as the formatter of the repository does it. */
function table(lines: readonly (readonly string[])[]): string {
  const [head = []] = lines;
  const widths = head.map((_, column) => Math.max(3, ...lines.map((line) => escape(line[column] ?? '').length)));
  const draw = (line: readonly string[]): string =>
    `| ${line.map((text, column) => escape(text).padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [first, ...rest] = lines.map(draw);
  return `${[first, rule, ...rest].join('\n')}\n`;
}

function columnsOf(line: string): string[] {
  return line
    .replace(/^\| | \|$/g, '')
    .split(/(?<!\\)\|/)
    .map((text) => text.trim().replaceAll('\\|', '|'));
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|');
}
