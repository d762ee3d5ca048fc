import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';

type Metric = MetricObjectWithValues<MetricValue<string>>;

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

/** Offers what a Prometheus registry holds to an OpenTelemetry reader, under the same names and labels. */
export function createPrometheusProducer(registry: Registry): MetricProducer {
  const startTime = hrTime(performance.timeOrigin);
  return {
    async collect(): Promise<CollectionResult> {
      const endTime = hrTime(Date.now());
      const found = (await registry.getMetricsAsJSON()) as unknown as Metric[];
      const metrics = found.flatMap(metric => metricData(metric, { startTime, endTime }) ?? []);
      const scopeMetrics = [{ scope: { name: 'firsthand' }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

type Span = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

function metricData(metric: Metric, span: Span): MetricData | undefined {
  const common = {
    descriptor: { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // prom-client's declared type is an enum of numbers; the value is a word.
  const type = metric.type as unknown as string;
  if (type === 'histogram') {
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(metric, span) };
  }
  const dataPoints = metric.values.map(({ value, labels }) => ({ ...span, value, attributes: attributesOf(labels) }));
  if (type === 'counter') return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  if (type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
  // The service makes no summaries.
  return undefined;
}

/** Labels without the bound of a bucket. */
function attributesOf({ le: _, ...labels }: Record<string, unknown>): Attributes {
  return labels as Attributes;
}

/** Joins the rows of each series: Prometheus counts each bucket with those below it, OTLP without them. */
function histograms(metric: Metric, span: Span): DataPoint<Histogram>[] {
  const series = Map.groupBy(metric.values as MetricValueWithName<string>[], ({ labels }) =>
    JSON.stringify(attributesOf(labels)),
  );
  return [...series.values()].map(rows => {
    const only = (suffix: string) => rows.filter(row => row.metricName === `${metric.name}_${suffix}`);
    const buckets = only('bucket').map(({ labels, value }) => ({ le: bound(labels), value }));
    const counts = buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0));
    return {
      ...span,
      attributes: attributesOf(rows[0]!.labels),
      value: {
        buckets: { boundaries: buckets.map(({ le }) => le).filter(Number.isFinite), counts },
        sum: only('sum')[0]?.value ?? 0,
        count: only('count')[0]?.value ?? 0,
      },
    };
  });
}

const bound = (labels: Partial<Record<string, string | number>>): number =>
  labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le);
