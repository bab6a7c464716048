import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';

/** Pages that users of a cluster find in it, in the order of their links; the first opens the site. */
const PAGES: readonly { readonly file: string; readonly name: string; readonly link: string }[] = [
  { file: 'README.md', name: 'index.html', link: 'Start' },
  { file: 'access.md', name: 'access.html', link: 'Access' },
  { file: 'workloads.md', name: 'workloads.html', link: 'Workloads' },
  { file: 'operations.md', name: 'operations.html', link: 'Operations' },
];
/** What a cluster may state about the pages: values of the add-on, filled in when it is installed. */
const TITLE = '${values.title}';
const CONTACT = "${values.contact == '' ? '' : '<p>Questions: ' + values.contact + '</p>'}";
const STYLE = fileURLToPath(new URL('style.css', import.meta.url));
const HEAD = `# Made from docs/using-a-cluster by node docs-site/dist/in-clusters/main.js; edit the pages there.
apiVersion: v1
kind: ConfigMap
metadata:
  name: docs-pages
  namespace: crate-addons
  labels:
    app.kubernetes.io/name: docs
    app.kubernetes.io/managed-by: crate
data:
`;

/** The manifest of the add-on `docs` that holds its pages, made from those in `folder`. */
export function pagesManifest(folder: string): string {
  const style = readFileSync(STYLE.replace(`${join('dist', 'in-clusters')}`, join('src', 'in-clusters')), 'utf8');
  const pages = PAGES.map(({ file, name }) => entry(name, pageOf(readFileSync(join(folder, file), 'utf8'), name)));
  return [HEAD, entry('style.css', style), ...pages].join('');
}

function pageOf(text: string, name: string): string {
  const markdown = new MarkdownIt();
  const isFirst = name === 'index.html';
  const body = markdown
    .render(text.replaceAll('${', () => '$${'))
    .replace(/href="(\w+)\.md(#[^"]*)?"/g, 'href="$1.html$2"');
  const heading = /<h1>(.*)<\/h1>/.exec(body)?.[1] ?? '';
  const title = isFirst ? heading : `${heading} - Using this cluster`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav>
${PAGES.map((page) => `<a href="${page.name}">${page.link}</a>`).join('\n')}
</nav>
${isFirst ? body.replace(`<h1>${heading}</h1>`, `<h1>${TITLE}</h1>`) + CONTACT + '\n' : body}</body>
</html>
`;
}

/** A member whose value is a text of many lines. */
function entry(name: string, text: string): string {
  const lines = text.trimEnd().split('\n');
  return `  ${name}: |\n${lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n')}\n`;
}
