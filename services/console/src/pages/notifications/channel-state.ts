import type { NotificationChannel } from '@crate/api';
import type { LabelProps } from '@patternfly/react-core';

/** How a channel is, in a word. */
export type ChannelWord = 'removing' | 'paused' | 'stopped' | 'failing' | 'delivering' | 'silent' | 'unknown';

export interface ChannelState {
  readonly word: ChannelWord;
  readonly status: LabelProps['status'];
  /** Why it is so; empty when there is nothing to say. */
  readonly message: string;
}

/** What somebody should know first about a channel. Pure. */
export function channelState({ metadata, spec, status }: NotificationChannel): ChannelState {
  const conditionOf = (type: string) => status?.conditions?.find((each) => each.type === type);
  const ready = conditionOf('Ready');
  const delivering = conditionOf('Delivering');
  if (metadata.deletionTimestamp !== undefined) return { word: 'removing', status: 'info', message: '' };
  if (ready?.status === 'False') return { word: 'stopped', status: 'danger', message: ready.message };
  if (spec.paused) return { word: 'paused', status: 'warning', message: '' };
  if (delivering?.status === 'False') return { word: 'failing', status: 'danger', message: delivering.message };
  if (delivering?.status === 'True') return { word: 'delivering', status: 'success', message: '' };
  return { word: delivering ? 'silent' : 'unknown', status: 'info', message: '' };
}

/** Where a channel sends to, in words that are no secret; undefined where the address itself is one. Pure. */
export function receiverOf({ spec }: NotificationChannel): string | undefined {
  return spec.type === 'email' ? spec.email?.to.join(', ') : spec.webhook?.url;
}
