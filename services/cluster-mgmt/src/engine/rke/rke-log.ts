/** One line of the engine's log. */
export interface RkeLogLine {
  readonly level: 'info' | 'warning' | 'error' | 'fatal';
  readonly message: string;
}

/** On a terminal: `INFO[0003] message`. */
const TERMINAL = /^(INFO|WARN|ERRO|FATA)\[\d+\]\s+(.*?)\s*$/;
/** Elsewhere: `time="…" level=info msg="message"`. */
const PLAIN = /^time="[^"]*" level=(info|warning|error|fatal) msg=(".*"|\S+)/;

const LEVELS = { INFO: 'info', WARN: 'warning', ERRO: 'error', FATA: 'fatal' } as const;

/** Undefined for output that is not the engine's log, such as of a library. */
export function parseRkeLogLine(line: string): RkeLogLine | undefined {
  const terminal = TERMINAL.exec(line);
  if (terminal) return { level: LEVELS[terminal[1] as keyof typeof LEVELS], message: terminal[2] ?? '' };
  const plain = PLAIN.exec(line);
  if (plain) return { level: plain[1] as RkeLogLine['level'], message: unquote(plain[2] ?? '') };
  return undefined;
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
}
