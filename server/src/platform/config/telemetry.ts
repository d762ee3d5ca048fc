import { ConfigError, type Reader } from './reader.ts';

/** What is exported by OpenTelemetry. The SDK reads the other standard variables (headers, sampler, resource) itself. */
export interface TelemetryConfig {
  traces: boolean;
  metrics: boolean;
  protocol: 'http/protobuf' | 'http/json';
  metricIntervalMs: number;
}

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap(name => [name, `parentbased_${name}`]);

/** Null unless an `OTEL_…` variable turns an exporter on. */
export function readTelemetry({ text, oneOf, integer, web }: Reader): TelemetryConfig | null {
  if (oneOf('OTEL_SDK_DISABLED', ['true', 'false'], 'false') === 'true') return null;
  const isOn = (signal: 'TRACES' | 'METRICS') => {
    const endpoint = web(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? web('OTEL_EXPORTER_OTLP_ENDPOINT');
    return oneOf(`OTEL_${signal}_EXPORTER`, ['otlp', 'none'], endpoint ? 'otlp' : 'none') === 'otlp';
  };
  const [traces, metrics] = [isOn('TRACES'), isOn('METRICS')];
  for (const signal of ['TRACES', 'METRICS']) {
    const name = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
    if (text(name)) throw new ConfigError(`${name} is not supported. Set OTEL_EXPORTER_OTLP_PROTOCOL for both.`);
  }
  const protocol = oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf', 'http/json'], 'http/protobuf');
  const metricIntervalMs = integer('OTEL_METRIC_EXPORT_INTERVAL', 100, 3_600_000, 60_000);
  // The SDK reads it itself, and would only log a wrong value.
  oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  return traces || metrics ? { traces, metrics, protocol, metricIntervalMs } : null;
}
