import { badRequest } from '@crate/errors';
import { LineCounter, parseAllDocuments, visit, type Alias, type Document } from 'yaml';

/** The values of all documents in a text, empty ones as well. Throws BadRequest with line and column; `path` says where the text is from. */
export function yamlValues(text: string, path: string): readonly unknown[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter });
  const mistake = documents.flatMap(({ errors }) => errors)[0];
  if (mistake) throw badRequest(`${path} is no YAML: ${mistake.message}`);
  return documents.map((document) => valueOf(document, lineCounter, `${path} is no YAML`));
}

/** The value of a document without errors. Aliases are followed here alone: throws BadRequest that begins with `refusal` for one that leads nowhere. */
export function valueOf(document: Document, lines: LineCounter, refusal: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    const lost = lostAlias(document);
    if (!lost) throw badRequest(`${refusal}: ${(cause as Error).message}`);
    const { line, col } = lines.linePos(lost.range?.[0] ?? 0);
    const where = `at line ${line}, column ${col}`;
    throw badRequest(`${refusal}: *${lost.source} is no text ${where}, and there is no anchor of that name before it`, {
      remedy: 'Put text that begins with * in quotes',
    });
  }
}

function lostAlias(document: Document): Alias | undefined {
  let lost: Alias | undefined;
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document)) return undefined;
      lost = alias;
      return visit.BREAK;
    },
  });
  return lost;
}
