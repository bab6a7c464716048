import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Beside what is drawn only as far as it is in view: says so on paper, where nobody can look further. */
export function PrintedInView(): ReactElement {
  const { t } = useTranslation();
  return <p className="crate-print-only">{t('common:printedInView')}</p>;
}
