const WARNING = /299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** What the server warns of beside its answer. Source: RFC 7234 section 5.5, code 299. */
export function warningsOf(headers: Headers): readonly string[] {
  const text = headers.get('warning') ?? '';
  return [...text.matchAll(WARNING)].map(([, message = '']) => message.replaceAll(/\\(.)/g, '$1'));
}
