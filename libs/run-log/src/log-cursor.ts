import { badRequest } from '@crate/errors';

/** How far a reader has come. */
export interface LogCursor {
  /** Parts up to here were read. */
  readonly seq: number;
  /** Run of the last part that was read; empty: none yet. */
  readonly run: string;
  /** Number of the next line of that run. */
  readonly nextLine: number;
  /** Lines of the next part to leave out. */
  readonly skip: number;
}

const FORM = /^(\d{1,15})_([0-9a-f-]{0,36})_(\d{1,9})_(\d{1,9})$/;

export function formatCursor({ seq, run, nextLine, skip }: LogCursor): string {
  return [seq, run, nextLine, skip].join('_');
}

/** Throws BadRequest for what `formatCursor` did not make. */
export function parseCursor(text: string): LogCursor {
  const [, seq, run = '', nextLine, skip] = FORM.exec(text) ?? [];
  if (seq === undefined) throw badRequest('The cursor of the log is malformed');
  return { seq: Number(seq), run, nextLine: Number(nextLine), skip: Number(skip) };
}
