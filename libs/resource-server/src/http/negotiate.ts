import { documentFormatOf } from './document-type.js';
import { type MediaType, parseAccept } from './media-type.js';
import { notAcceptable } from './protocol-error.js';

/** How objects are shown: in full, as a table for people, or as their metadata alone. */
export type View = 'full' | 'Table' | 'PartialObjectMetadata';

/** What a response is to look like. */
export interface Negotiated {
  /** `text` is for people: objects as YAML, failures in a few lines. */
  readonly format: 'json' | 'yaml' | 'text';
  readonly view: View;
}

const OFFERED = ['application/json', 'application/yaml', 'text/plain'];

/** Picks what the client likes best of what we can do; throws 406 when there is none. */
export function negotiate(accept: string | undefined): Negotiated {
  for (const candidate of parseAccept(accept)) {
    const format = formatOf(candidate);
    const view = format && viewOf(candidate);
    if (format && view) return { format, view };
  }
  throw notAcceptable(OFFERED);
}

function formatOf({ type }: MediaType): Negotiated['format'] | undefined {
  if (['application/json', 'application/*', '*/*'].includes(type)) return 'json';
  if (type === 'text/plain') return 'text';
  return documentFormatOf(type) === 'yaml' ? 'yaml' : undefined;
}

function viewOf({ parameters }: MediaType): View | undefined {
  const { as, g, v } = parameters;
  if (as === undefined) return 'full';
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  if (as === 'Table') return 'Table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'PartialObjectMetadata' : undefined;
}
