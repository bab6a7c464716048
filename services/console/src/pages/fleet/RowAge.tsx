import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ageText } from '../../components/age-text.js';
import { useFromNow } from '../../components/use-now.js';

/** As `toLocaleString` writes it; making such a format takes longer than using it. */
const exact = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** How long ago something was; unlike `Age` no stop of the Tab key, of which thousands of rows would have too many. */
export function RowAge({ since }: { readonly since: string }): ReactElement {
  const { t } = useTranslation();
  const from = Date.parse(since);
  const text = useFromNow((now) => shortAge(now - from));
  return (
    <time className="crate-fleet-word" dateTime={since} title={Number.isNaN(from) ? since : exact.format(from)}>
      {text === '' ? t('age.now') : text}
    </time>
  );
}

/** The greater of its two units is enough to compare rows by. */
function shortAge(ms: number): string {
  return ageText(ms).split(' ').slice(0, 2).join(' ');
}
