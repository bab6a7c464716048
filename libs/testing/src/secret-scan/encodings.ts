/** A text as it may stand somewhere, and what was done to it. */
export interface EncodedText {
  readonly encoding: string;
  readonly text: string;
}

/** Shorter pieces match by chance. */
const SHORTEST = 8;

/** Every form of a secret that is looked for. Pieces of a form that depend on their surroundings are left out. */
export function encodingsOf(secret: string): readonly EncodedText[] {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const jsonTwice = JSON.stringify(json).slice(1, -1);
  const forms: EncodedText[] = [
    { encoding: 'raw', text: secret },
    { encoding: 'JSON', text: json },
    { encoding: 'JSON in JSON', text: jsonTwice },
    { encoding: 'hex', text: bytes.toString('hex') },
    { encoding: 'HEX', text: bytes.toString('hex').toUpperCase() },
    { encoding: 'UTF-16 hex', text: Buffer.from(secret, 'utf16le').toString('hex') },
    { encoding: 'URL', text: encodeURIComponent(secret) },
    { encoding: 'form', text: new URLSearchParams({ '': secret }).toString().slice(1) },
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ];
  const hexOfBase64 = forms
    .filter(({ encoding }) => encoding.startsWith('base64 '))
    .map(({ encoding, text }) => ({ encoding: `hex of ${encoding}`, text: Buffer.from(text).toString('hex') }));
  return distinct([...forms, ...hexOfBase64]).filter(({ text }) => text.length >= SHORTEST);
}

/** What of the base64 of any text is certain when the secret begins `offset` bytes behind a group of three. */
function base64At(secret: Buffer, offset: number): readonly EncodedText[] {
  const padded = Buffer.concat([Buffer.alloc(offset), secret]);
  const whole = padded.length - (padded.length % 3);
  // The first group holds foreign bytes unless the secret begins with it.
  const start = offset === 0 ? 0 : 4;
  const standard = padded.subarray(0, whole).toString('base64').slice(start);
  const url = standard.replaceAll('+', '-').replaceAll('/', '_');
  return [
    { encoding: `base64 at ${offset}`, text: standard },
    { encoding: `base64 url at ${offset}`, text: url },
    { encoding: `base64 JSON at ${offset}`, text: standard.replaceAll('/', '\\/') },
  ];
}

function distinct(forms: readonly EncodedText[]): readonly EncodedText[] {
  return [...new Map(forms.map((form) => [form.text, form])).values()];
}
