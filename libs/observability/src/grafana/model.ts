/** Units of Grafana that are used here. Source: https://grafana.com/docs/grafana/latest/panels-visualizations/configure-standard-options */
export type Unit = 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'ops' | 'dateTimeFromNow' | 'bool_on_off';

export interface Query {
  readonly expr: string;
  /** Text of the legend, with labels as `{{label}}`. */
  readonly legend: string;
  /** Shows the value now only, for tables and single numbers. */
  readonly isInstant?: boolean;
}

export interface Threshold {
  readonly value: number;
  readonly color: 'green' | 'yellow' | 'orange' | 'red';
}

/** One picture of a dashboard. */
export interface Panel {
  readonly type: 'timeseries' | 'stat' | 'bargauge' | 'table';
  readonly title: string;
  /** What one sees, and what to think of it. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** Of 24 columns; default 8. */
  readonly width?: number;
  /** Default 8. */
  readonly height?: number;
  readonly thresholds?: readonly Threshold[];
  readonly isStacked?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** Alerts about what is shown; each becomes a link to its runbook. */
  readonly alerts?: readonly string[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A value that the reader chooses. */
export interface Variable {
  readonly name: string;
  readonly label: string;
  /** PromQL of `label_values`. */
  readonly query: string;
}

export interface Dashboard {
  /** Stable: links and the name of the file go by it. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
}
