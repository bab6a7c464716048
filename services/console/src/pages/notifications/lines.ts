import { listLines, mapLines, type Lines } from '../../components/form/lines.js';

const TEXT = { type: 'string' } as const;

/** Texts, one a line. */
export const TEXTS = linesOf(listLines({ type: 'array', items: TEXT }));

/** Labels, `name=value` a line. */
export const LABELS = linesOf(mapLines({ type: 'object', additionalProperties: TEXT }));

function linesOf(lines: Lines | undefined): Pick<Lines, 'toLines' | 'fromLines'> {
  if (!lines) throw new Error('Texts have lines');
  const { toLines, fromLines } = lines;
  return { toLines, fromLines };
}
