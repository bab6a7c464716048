/** As the API server of Kubernetes has it. Clients take some 16 KiB of headers, and would fail of more after a write was done. */
const MOST_BYTES = 4 * 1024;
const CUT_LENGTH = 256;
/** Name of the header and end of its line. */
const LINE_BYTES = 'warning: \r\n'.length;

/**
 * Values of `Warning` headers. When they are too long together each is cut, and the last says how many there are beside those that fit.
 * Source: RFC 7234 section 5.5, code 299; k8s.io/apiserver/pkg/endpoints/filters/warning.go
 */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const whole = warnings.map(headerOf);
  if (fitting(whole) === whole.length) return whole;
  const cut = warnings.map((text) => headerOf(shorten(text)));
  const kept = fitting(cut);
  return kept === cut.length ? cut : [...cut.slice(0, kept), headerOf(`and ${cut.length - kept} more warnings`)];
}

/** How many of the first do not take too much together. */
function fitting(headers: readonly string[]): number {
  let left = MOST_BYTES;
  const tooMany = headers.findIndex((header) => (left -= header.length + LINE_BYTES) < 0);
  return tooMany < 0 ? headers.length : tooMany;
}

function shorten(text: string): string {
  return text.length <= CUT_LENGTH ? text : `${text.slice(0, CUT_LENGTH - 3)}...`;
}

function headerOf(text: string): string {
  // Header values are Latin-1 without control characters.
  const plain = text.replaceAll(/[^\x21-\x7e]+/g, ' ').replaceAll(/["\\]/g, (special) => `\\${special}`);
  return `299 - "${plain}"`;
}
