/** What is in it is HTML already; whatever else comes to a page is text. */
export class Markup {
  constructor(readonly html: string) {}
}

export type Cell = string | number | Markup;

/** How a rule came out, in its colour. */
export function mark(outcome: string): Markup {
  return new Markup(`<span class="${outcome}">${outcome === 'skip' ? 'waived' : outcome}</span>`);
}

/** A list of names and values. */
export function facts(rows: readonly (readonly [string, string])[]): string {
  return `<dl>${rows.map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`).join('')}</dl>`;
}

/** Nothing when there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return '';
  // A heading stands over its numbers.
  const heads = head.map((text, index) => `<th${classOf(rows[0]?.[index])}>${escape(text)}</th>`).join('');
  const lines = rows.map((cells) => `<tr>${cells.map(cellOf).join('')}</tr>`).join('\n');
  return `<table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table>`;
}

function cellOf(cell: Cell): string {
  if (cell instanceof Markup) return `<td>${cell.html}</td>`;
  return `<td${classOf(cell)}>${escape(String(cell))}</td>`;
}

function classOf(cell: Cell | undefined): string {
  return typeof cell === 'number' ? ' class="n"' : '';
}

/** A time as people read it, date over time where there is little room; what is signed has it as it is. */
export function inTwoLines(time: string): Markup {
  const [date = '', clock = ''] = time.replace(/\.\d+Z$/, 'Z').split('T');
  return new Markup(`<span>${escape(date)}</span> <span>${escape(clock)}</span>`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML. */
export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
