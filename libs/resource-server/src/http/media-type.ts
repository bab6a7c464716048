/** A media type with its parameters, as `Accept` and `Content-Type` carry it. */
export interface MediaType {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parses one media type; the type is lower case. */
export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';');
  const parameters = rest.map((part) => {
    const [name = '', value = ''] = part.split('=');
    return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')] as const;
  });
  return { type: type.trim().toLowerCase(), parameters: Object.fromEntries(parameters) };
}

/** The media types of an `Accept` header, best first; everything when the header is absent. */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  if (header === undefined || header.trim() === '') return [{ type: '*/*', parameters: {} }];
  const types = header.split(',').map(parseMediaType);
  // Array.sort is stable: equal weights keep the client's order.
  return types.filter((type) => weight(type) > 0).sort((left, right) => weight(right) - weight(left));
}

function weight({ parameters }: MediaType): number {
  const value = Number(parameters.q ?? '1');
  return Number.isNaN(value) ? 1 : value;
}
