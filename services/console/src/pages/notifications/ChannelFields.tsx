import type { NotificationType } from '@crate/api';
import { FormFieldGroup, FormFieldGroupHeader } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceField } from '../../components/form/ChoiceField.js';
import { LinesField } from '../../components/form/LinesField.js';
import { TextField } from '../../components/form/TextField.js';
import { LABELS, TEXTS } from './lines.js';
import { SeveritiesField } from './SeveritiesField.js';
import { EmailFields, SlackFields, WebhookFields } from './ReceiverFields.js';

const TYPES: readonly NotificationType[] = ['webhook', 'slack', 'email'];

interface ChannelFieldsProps {
  readonly type: NotificationType;
  readonly isNew: boolean;
}

/** Everything that a person says of a channel. */
export function ChannelFields({ type, isNew }: ChannelFieldsProps): ReactElement {
  const { t } = useTranslation('notifications');
  return (
    <>
      {isNew && <TextField path={['metadata', 'name']} label={t('col.name')} help={t('form.nameHelp')} isRequired />}
      <ChoiceField
        path={['spec', 'type']}
        label={t('form.type')}
        none={t('common:form.choose')}
        options={TYPES.map((value) => ({ value, text: t(`type.${value}`) }))}
        isRequired
      />
      {type === 'webhook' && <WebhookFields isNew={isNew} />}
      {type === 'slack' && <SlackFields isNew={isNew} />}
      {type === 'email' && <EmailFields />}
      <SeveritiesField />
      <MatchFields />
    </>
  );
}

/** What narrows it further. */
function MatchFields(): ReactElement {
  const { t } = useTranslation('notifications');
  const id = useId();
  return (
    <FormFieldGroup
      header={<FormFieldGroupHeader titleText={{ text: t('form.match'), id }} titleDescription={t('form.matchHelp')} />}
    >
      <LinesField path={['spec', 'match', 'kinds']} label={t('form.kinds')} help={t('form.kindsHelp')} {...TEXTS} />
      <LinesField
        path={['spec', 'match', 'reasons']}
        label={t('form.reasons')}
        help={t('form.reasonsHelp')}
        {...TEXTS}
      />
      <LinesField
        path={['spec', 'match', 'clusterSelector', 'matchLabels']}
        label={t('form.labels')}
        help={t('common:form.pairLines')}
        {...LABELS}
      />
    </FormFieldGroup>
  );
}
