import { Timestamp, TimestampTooltipVariant } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ageText } from './age-text.js';
import { useFromNow } from './use-now.js';

/** How long ago something was, such as "5 min"; the exact time is in its tooltip. */
export function Age({ since }: { readonly since: string }): ReactElement {
  const { t } = useTranslation();
  const at = Date.parse(since);
  const text = useFromNow((now) => ageText(now - at));
  return (
    // No news, wherever it stands: a second later it is another one.
    <Timestamp aria-live="off" date={new Date(since)} tooltip={{ variant: TimestampTooltipVariant.default }}>
      {text === '' ? t('age.now') : text}
    </Timestamp>
  );
}
