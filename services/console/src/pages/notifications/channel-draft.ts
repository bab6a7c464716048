import type { NotificationChannel, NotificationType } from '@crate/api';
import type { DocumentPath } from '../../components/form/document-path.js';

type Spec = NotificationChannel['spec'];
type Blocks = Partial<Record<NotificationType, object>>;

/** A channel as a form fills it in; what is not stated yet is absent. */
export interface ChannelDraft {
  readonly metadata: { readonly name?: string };
  readonly spec: Blocks & Pick<Spec, 'type'> & { readonly severities: readonly string[]; readonly match?: object };
}

/** As the form begins: a new webhook, or the channel as it was read. Pure. */
export function draftOf(channel: NotificationChannel | undefined): ChannelDraft {
  if (!channel) return { metadata: {}, spec: { type: 'webhook', severities: ['Critical', 'Warning'] } };
  return { metadata: { name: channel.metadata.name }, spec: channel.spec };
}

/** As it is sent: with the block of its type, and no other that was filled in on the way. Pure. */
export function specOf({ spec }: ChannelDraft): object {
  const { webhook, slack, email, ...rest } = spec;
  const blocks: Blocks = { webhook, slack, email };
  return { ...rest, [spec.type]: blocks[spec.type] ?? {} };
}

/** What stands for a field that is emptied: the name of a header stays a row that can be filled in again. Pure. */
export function emptied(path: DocumentPath): '' | undefined {
  return path.includes('headers') && path.at(-1) === 'name' ? '' : undefined;
}
