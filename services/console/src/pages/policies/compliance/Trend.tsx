import { Card, CardBody, CardTitle, Skeleton } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { partOfPage } from '../../../app/PartOfPage.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { NotReadAnew } from '../../../components/NotReadAnew.js';
import { isWithinTwoDays, percentMet, readHistory, type HistoryPoint } from './compliance.js';

// Charts are heavy: they come when there is one to draw.
const TrendChart = partOfPage(async () => (await import('./TrendChart.js')).TrendChart, {
  waiting: <Skeleton height="12rem" />,
});

/** How many rules were met over time; in words, too. */
export function Trend({ project }: { readonly project: string }): ReactElement {
  const { t } = useTranslation('policies');
  const { data, error, refetch } = useQuery({
    queryKey: ['compliance-history', project],
    queryFn: ({ signal }) => readHistory(project, signal),
  });
  return (
    <Card>
      <CardTitle component="h2">{t('trend.title')}</CardTitle>
      <CardBody>
        {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data && (
          <>
            <NotReadAnew error={error} />
            <Drawn points={data} />
          </>
        )}
      </CardBody>
    </Card>
  );
}

function Drawn({ points }: { readonly points: readonly HistoryPoint[] }): ReactElement {
  const { t } = useTranslation('policies');
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return <p>{t('trend.soon')}</p>;
  const momentOf = isWithinTwoDays(points) ? 'toLocaleString' : 'toLocaleDateString';
  const text = t('trend.text', {
    from: percentMet(first.rules),
    to: percentMet(last.rules),
    begin: new Date(first.time)[momentOf](),
    end: new Date(last.time)[momentOf](),
  });
  return (
    <>
      <p>{text}</p>
      <TrendChart points={points} title={t('trend.axis')} description={text} />
    </>
  );
}
