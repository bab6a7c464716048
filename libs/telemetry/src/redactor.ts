/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Field names whose value is a secret wherever they occur, compared in lower case without `-` and `_`. */
const SECRET_KEYS = new Set([
  'accesskey',
  'accesstoken',
  'apikey',
  'authorization',
  'clientkey',
  'clientkeydata',
  'clientsecret',
  'cookie',
  'cratetoken',
  'credentials',
  'idtoken',
  'kubeconfig',
  'passphrase',
  'password',
  'privatekey',
  'refreshtoken',
  'secret',
  'secretaccesskey',
  'secretkey',
  'sessiontoken',
  'setcookie',
  'sshprivatekey',
  'token',
]);

/** Shapes that are secret whatever they are called: private keys, JSON web tokens, tokens of API keys, passwords inside URLs. */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // Of a run of such characters the first "eyJ" decides for all, and is sought once: one search for each would take time by the square.
  [/(?<![\w-])(?=([\w-]*?)\beyJ)\1[\w-]{11,}\.[\w-]+\.[\w-]*/g, `$1${REDACTED}`],
  [/\bcrate_[0-9A-Za-z]{65}\b/g, REDACTED],
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${REDACTED}@`],
];

/** Something of each of them: most text has none, and costs one look. */
const MAY_HAVE_SHAPE = /-----BEGIN|eyJ|crate_|:\/\//;

// Shorter values would also blank out ordinary text.
const MIN_SECRET_LENGTH = 6;
const MAX_DEPTH = 6;

/** Takes secrets out of text and of structured fields: by key name, by shape, and by registered value. */
export class Redactor {
  private readonly values = new Map<string, number>();
  private pattern: RegExp | undefined;

  /** Registers a secret value; the returned function forgets it again. Of a value of many lines each line counts too. */
  add(secret: string): () => void {
    const parts = new Set([secret, ...secret.split(/\r?\n/)].map((part) => part.trim()));
    const kept = [...parts].filter((part) => part.length >= MIN_SECRET_LENGTH && !part.startsWith('-----'));
    for (const part of kept) this.count(part, 1);
    this.rebuild();
    return () => {
      for (const part of kept) this.count(part, -1);
      this.rebuild();
    };
  }

  /** The text without any known secret. */
  redactText(text: string): string {
    const known = this.pattern ? text.replace(this.pattern, REDACTED) : text;
    if (!MAY_HAVE_SHAPE.test(known)) return known;
    return SECRET_SHAPES.reduce((result, [shape, replacement]) => result.replace(shape, replacement), known);
  }

  /** A copy without secrets, fit for JSON: bigints become strings, depth is bounded. */
  redact(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.redactText(value);
    if (typeof value === 'bigint') return value.toString();
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Date) return value.toISOString();
    if (depth >= MAX_DEPTH) return '[too deep]';
    if (Array.isArray(value)) return value.map((item) => this.redact(item, depth + 1));
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isSecretKey(key) ? REDACTED : this.redact(item, depth + 1)]),
    );
  }

  private count(part: string, step: number): void {
    const count = (this.values.get(part) ?? 0) + step;
    if (count > 0) this.values.set(part, count);
    else this.values.delete(part);
  }

  private rebuild(): void {
    // Longest first, so that a secret which contains another is taken out whole.
    const values = [...this.values.keys()].sort((a, b) => b.length - a.length);
    this.pattern = values.length > 0 ? new RegExp(values.map(escapeRegExp).join('|'), 'g') : undefined;
  }
}

/** True when a field of this name holds a secret. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(key.toLowerCase().replace(/[-_]/g, ''));
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
