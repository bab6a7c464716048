import type { NotificationSeverity } from '@crate/api';
import { Checkbox, FormGroup, FormHelperText, HelperText, HelperTextItem } from '@patternfly/react-core';
import { useId, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useField } from '../../components/form/fields-context.js';

const SEVERITIES: readonly NotificationSeverity[] = ['Critical', 'Warning', 'Info'];

/** How bad news must be. */
export function SeveritiesField(): ReactElement {
  const { t } = useTranslation('notifications');
  const id = useId();
  const { value, errors, set } = useField(['spec', 'severities']);
  const chosen = (value ?? []) as readonly string[];
  const turn = (severity: string, isOn: boolean): void =>
    set(SEVERITIES.filter((each) => (each === severity ? isOn : chosen.includes(each))));
  return (
    <FormGroup role="group" fieldId={id} label={t('form.severities')} isRequired>
      {SEVERITIES.map((severity) => (
        <Checkbox
          key={severity}
          id={`${id}-${severity}`}
          label={t(`severity.${severity}`)}
          description={t(`form.severity.${severity}`)}
          isChecked={chosen.includes(severity)}
          onChange={(_event, isOn) => turn(severity, isOn)}
        />
      ))}
      <FormHelperText>
        <HelperText isLiveRegion>
          {errors.map((message) => (
            <HelperTextItem key={message} variant="error">
              {message}
            </HelperTextItem>
          ))}
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}
