import { Chart, ChartArea, ChartAxis } from '@patternfly/react-charts/victory';
import type { ReactElement } from 'react';
import { percentMet, type HistoryPoint } from './compliance.js';

interface TrendChartProps {
  readonly points: readonly HistoryPoint[];
  readonly title: string;
  readonly description: string;
}

/** Percent of rules that were met, over time. */
export function TrendChart({ points, title, description }: TrendChartProps): ReactElement {
  const data = points.map(({ time, rules }) => ({ x: new Date(time), y: percentMet(rules) }));
  return (
    <Chart
      ariaTitle={title}
      ariaDesc={description}
      name="trend"
      height={200}
      width={800}
      scale={{ x: 'time', y: 'linear' }}
      domain={{ y: [0, 100] }}
      padding={{ top: 10, right: 20, bottom: 40, left: 50 }}
    >
      <ChartAxis />
      <ChartAxis dependentAxis showGrid tickValues={[0, 50, 100]} />
      <ChartArea data={data} interpolation="stepAfter" />
    </Chart>
  );
}
