import GithubSlugger from 'github-slugger';
import MarkdownIt, { type Token } from 'markdown-it';

/** A link or picture of a page, as it is written. */
export interface Link {
  readonly target: string;
  /** Line of the file, from 1. */
  readonly line: number;
}

/** What a page can be linked by and what it links to. */
export interface Page {
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly Link[];
}

const markdown = new MarkdownIt();

/** Reads a page as a git host does: ids of headings by GitHub's rule, links and pictures in the order of the text. */
export function readPage(text: string): Page {
  const slugger = new GithubSlugger();
  const tokens = markdown.parse(text, {});
  const anchors = new Set<string>();
  const links: Link[] = [];
  let line = 1;
  for (const [index, token] of tokens.entries()) {
    // Cells of a table do not say where they are, but their row does.
    line = (token.map?.[0] ?? line - 1) + 1;
    if (token.type === 'heading_open') anchors.add(slugger.slug(textOf(tokens[index + 1])));
    for (const child of token.children ?? []) {
      const target = child.attrGet('href') ?? child.attrGet('src');
      if (target !== null) links.push({ target: String(target), line });
    }
  }
  return { anchors, links };
}

function textOf(inline: Token | undefined): string {
  const words = (inline?.children ?? []).filter(({ type }) => type === 'text' || type === 'code_inline');
  return words.map(({ content }) => content).join('');
}
