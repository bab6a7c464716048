import { useQuery } from '@tanstack/react-query';
import { ApiError, type Cause } from '../../api/api-error.js';
import { useSettled } from '../../components/form/use-settled.js';
import type { ChannelDraft } from './channel-draft.js';
import { saveChannel, type ChannelForm } from './channel-writes.js';

/** What the server says against a draft each time that typing pauses; nothing until it has a name. */
export function useObjections(form: ChannelForm, draft: ChannelDraft): readonly Cause[] {
  const settled = useSettled(JSON.stringify(draft));
  const { data = [] } = useQuery({
    queryKey: ['channel-objections', form.project, settled],
    queryFn: ({ signal }) => objectionsTo(form, JSON.parse(settled) as ChannelDraft, signal),
    enabled: draft.metadata.name !== undefined,
    placeholderData: (before) => before,
    retry: false,
    gcTime: 0,
  });
  return data;
}

async function objectionsTo(form: ChannelForm, draft: ChannelDraft, signal: AbortSignal): Promise<readonly Cause[]> {
  try {
    await saveChannel(form, draft, { isDry: true, signal });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A name that is taken is said of the name.
    if (error.status === 409 && !form.before) return [{ field: 'metadata.name', message: error.message }];
    return error.causes;
  }
}
