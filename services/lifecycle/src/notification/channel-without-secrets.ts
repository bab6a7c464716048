import type { NotificationChannel } from '@crate/api';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

interface Blocks {
  webhook?: { secret?: unknown; headers?: { value?: unknown }[] | undefined } | undefined;
  slack?: { url?: unknown } | undefined;
}

/** The channel as it is stored and shown. `fingerprint`: of what is stored apart; what the document says of it does not count. Pure. */
export function withoutSecrets(channel: NotificationChannel, fingerprint: string | undefined): NotificationChannel {
  const { secretsFingerprint: _stated, ...spec } = strip(structuredClone(channel.spec));
  return {
    ...channel,
    metadata: withCleanCopy(channel.metadata),
    spec: { ...spec, ...(fingerprint === undefined ? {} : { secretsFingerprint: fingerprint }) },
  };
}

function strip<T extends Blocks>(blocks: T): T {
  delete blocks.webhook?.secret;
  for (const header of blocks.webhook?.headers ?? []) delete header.value;
  delete blocks.slack?.url;
  return blocks;
}

/** `kubectl apply` keeps a copy of the whole document in an annotation. */
function withCleanCopy(metadata: NotificationChannel['metadata']): NotificationChannel['metadata'] {
  const { [LAST_APPLIED]: copy, ...annotations } = metadata.annotations ?? {};
  if (copy === undefined) return metadata;
  const clean = cleanCopy(copy);
  return { ...metadata, annotations: { ...annotations, ...(clean === undefined ? {} : { [LAST_APPLIED]: clean }) } };
}

/** Undefined for what cannot be read: it might hold anything. */
function cleanCopy(copy: string): string | undefined {
  try {
    const document = JSON.parse(copy) as { spec?: Blocks };
    if (document.spec) strip(document.spec);
    // As kubectl writes it: with a line end.
    return `${JSON.stringify(document)}\n`;
  } catch {
    return undefined;
  }
}
