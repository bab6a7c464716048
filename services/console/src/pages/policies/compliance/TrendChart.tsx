import './trend.css';
import { Chart, ChartArea, ChartAxis } from '@patternfly/react-charts/victory';
import type { ReactElement } from 'react';
import { useWidth } from '../../../components/use-width.js';
import { isWithinTwoDays, percentMet, type HistoryPoint } from './compliance.js';

interface TrendChartProps {
  readonly points: readonly HistoryPoint[];
  readonly title: string;
  readonly description: string;
}

const USUAL_PX = 800;
/** A day with its month, or a time of the day, and room beside it. */
const DATE_PX = 80;
const PADDING = { top: 10, right: 20, bottom: 40, left: 50 };

/** Percent of rules that were met, over time. Drawn as wide as its place is: a drawing made smaller has texts that nobody reads. */
export function TrendChart({ points, title, description }: TrendChartProps): ReactElement {
  const [width, place] = useWidth(USUAL_PX);
  const data = points.map(({ time, rules }) => ({ x: new Date(time), y: percentMet(rules) }));
  const dates = Math.floor((width - PADDING.left - PADDING.right) / DATE_PX);
  return (
    <div ref={place} className="crate-trend">
      <Chart
        ariaTitle={title}
        ariaDesc={description}
        name="trend"
        height={200}
        width={width}
        scale={{ x: 'time', y: 'linear' }}
        domain={{ y: [0, 100] }}
        padding={PADDING}
      >
        <ChartAxis tickValues={ticksOf(points, Math.max(1, dates))} tickFormat={momentsOf(points)} />
        <ChartAxis dependentAxis showGrid tickValues={[0, 50, 100]} />
        <ChartArea data={data} interpolation="stepAfter" />
      </Chart>
    </div>
  );
}

/** As many moments as asked for, each in the middle of its part: none stands on another or is cut off at an end. */
function ticksOf(points: readonly HistoryPoint[], count: number): Date[] {
  const [begin, end] = [points[0], points.at(-1)].map((point) => new Date(point?.time ?? 0).getTime());
  const partMs = ((end ?? 0) - (begin ?? 0)) / count;
  return Array.from({ length: count }, (_, index) => new Date((begin ?? 0) + (index + 0.5) * partMs));
}

/** Says which day it is, and of what lasted for less than two, which time of the day. */
function momentsOf(points: readonly HistoryPoint[]): (time: Date | number) => string {
  if (isWithinTwoDays(points))
    return (time) => new Date(time).toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' });
  return (time) => new Date(time).toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
}
