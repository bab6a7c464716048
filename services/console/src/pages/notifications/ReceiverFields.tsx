import { Checkbox } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useField } from '../../components/form/fields-context.js';
import { LinesField } from '../../components/form/LinesField.js';
import { TextField } from '../../components/form/TextField.js';
import { HeaderFields } from './HeaderFields.js';
import { TEXTS } from './lines.js';

interface ReceiverFieldsProps {
  readonly isNew: boolean;
}

/** A receiver of CloudEvents. */
export function WebhookFields({ isNew }: ReceiverFieldsProps): ReactElement {
  const { t } = useTranslation('notifications');
  return (
    <>
      <TextField path={['spec', 'webhook', 'url']} label={t('form.url')} help={t('form.urlHelp')} isRequired />
      <SecretField isNew={isNew} />
      <HeaderFields isNew={isNew} />
    </>
  );
}

/** What bodies are signed with. An empty text, which no typing gives, ends the signing. */
function SecretField({ isNew }: ReceiverFieldsProps): ReactElement {
  const { t } = useTranslation('notifications');
  const path = ['spec', 'webhook', 'secret'];
  const { value, set } = useField(path);
  return (
    <>
      <TextField
        path={path}
        label={t('form.secret')}
        help={t(isNew ? 'form.secretHelp' : 'form.secretKept')}
        isSecret
      />
      {!isNew && (
        <Checkbox
          id="channel-unsigned"
          label={t('form.unsigned')}
          isChecked={value === ''}
          onChange={(_event, isOn) => set(isOn ? '' : undefined)}
        />
      )}
    </>
  );
}

/** Slack, or whatever takes the same: its URL is a secret. */
export function SlackFields({ isNew }: ReceiverFieldsProps): ReactElement {
  const { t } = useTranslation('notifications');
  return (
    <TextField
      path={['spec', 'slack', 'url']}
      label={t('form.slackUrl')}
      help={t(isNew ? 'form.slackUrlHelp' : 'form.slackUrlKept')}
      isRequired={isNew}
      isSecret
    />
  );
}

/** People who are written to. */
export function EmailFields(): ReactElement {
  const { t } = useTranslation('notifications');
  return (
    <>
      <LinesField path={['spec', 'email', 'to']} label={t('form.to')} help={t('form.toHelp')} isRequired {...TEXTS} />
      <TextField path={['spec', 'email', 'from']} label={t('form.from')} help={t('form.fromHelp')} />
    </>
  );
}
