import type { NotificationChannel } from '@crate/api';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DeedDialog } from '../../components/access/DeedDialog.js';
import { fieldOf, isWithin, valueAt, withValue, type DocumentPath } from '../../components/form/document-path.js';
import { FieldsProvider, type FieldState } from '../../components/form/fields-context.js';
import { draftOf, emptied } from './channel-draft.js';
import { ChannelFields } from './ChannelFields.js';
import { saveChannel } from './channel-writes.js';
import { useObjections } from './use-objections.js';

interface ChannelDialogProps {
  readonly project: string;
  /** Absent: a new one. */
  readonly channel?: NotificationChannel;
  readonly onClose: () => void;
}

/** Makes or changes a channel; the server judges it while it is filled in. Secrets go in, and never come back. */
export function ChannelDialog({ project, channel, onClose }: ChannelDialogProps): ReactElement {
  const { t } = useTranslation('notifications');
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [form] = useState({ project, before: channel });
  const [draft, setDraft] = useState(() => draftOf(channel));
  const objections = useObjections(form, draft);
  const { before } = form;
  const stateOf = (path: DocumentPath): FieldState => {
    const value = valueAt(draft, path);
    // Nobody is told at once of what they did not come to yet.
    const own = value === undefined ? [] : objections;
    return {
      value,
      filled: undefined,
      errors: own.filter(({ field = '' }) => isWithin(field, fieldOf(path))).map(({ message }) => message),
      set: (next) => setDraft(withValue(draft, path, next ?? emptied(path))),
    };
  };
  return (
    <DeedDialog
      title={before ? t('form.editTitle', { name: before.metadata.name }) : t('form.addTitle')}
      submit={before ? t('common:actions.save') : t('form.submit')}
      variant="medium"
      isReady={draft.metadata.name !== undefined}
      onSubmit={() => saveChannel(form, draft)}
      onClose={onClose}
    >
      <FieldsProvider value={stateOf}>
        <ChannelFields type={draft.spec.type} isNew={before === undefined} />
      </FieldsProvider>
    </DeedDialog>
  );
}
