/** Media types that mean JSON or YAML, whichever name a client knows them by. */
const JSON_TYPES = new Set(['application/json', 'text/json']);
const YAML_TYPES = new Set(['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml', 'text/vnd.yaml']);

/** What curl says of `-d` and `--data-binary`, or what is said of any file: nothing that can be relied on. */
const UNKNOWN_TYPES = new Set(['', 'application/x-www-form-urlencoded', 'application/octet-stream', 'text/plain']);

/** How a body is read: JSON, YAML, or whichever of the two it turns out to be. */
export type DocumentFormat = 'json' | 'yaml' | 'either';

/** Undefined for a media type that is neither JSON nor YAML. */
export function documentFormatOf(mediaType: string): DocumentFormat | undefined {
  if (JSON_TYPES.has(mediaType)) return 'json';
  if (YAML_TYPES.has(mediaType)) return 'yaml';
  return UNKNOWN_TYPES.has(mediaType) ? 'either' : undefined;
}

/** What to send instead, for people at a terminal. */
export const SEND_A_DOCUMENT =
  "send JSON or YAML as it is: curl --data-binary @file -H 'Content-Type: application/yaml' (-d takes line breaks out of files)";

/** What to send with a patch, for people at a terminal. */
export const SEND_A_PATCH_TYPE =
  "say which kind of patch it is: curl -X PATCH -H 'Content-Type: application/merge-patch+json'";
