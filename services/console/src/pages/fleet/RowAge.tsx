import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ageText } from '../../components/age-text.js';
import { useNow } from '../../components/use-now.js';

/** How long ago something was; unlike `Age` no stop of the Tab key, of which thousands of rows would have too many. */
export function RowAge({ since }: { readonly since: string }): ReactElement {
  const { t } = useTranslation();
  // The greater of its two units is enough to compare rows by.
  const text = ageText(useNow() - Date.parse(since))
    .split(' ')
    .slice(0, 2)
    .join(' ');
  return (
    <time className="crate-fleet-word" dateTime={since} title={new Date(since).toLocaleString()}>
      {text === '' ? t('age.now') : text}
    </time>
  );
}
