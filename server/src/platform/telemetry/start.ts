import { randomUUID } from 'node:crypto';
import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Registry } from 'prom-client';
import type { TelemetryConfig } from '../config/telemetry.ts';
import type { Log } from '../lib/log.ts';
import { createPrometheusProducer } from './prometheus-producer.ts';

export interface Telemetry {
  /** Sends what waits, and ends. */
  stop(): Promise<void>;
}

/**
 * Starts the OpenTelemetry SDK: spans of this process, and the metrics of `registry` under the same names. Only a
 * configured exporter imports this module. The SDK reads its other standard variables from the environment.
 */
export function startTelemetry(config: TelemetryConfig, registry: Registry, log: Log): Telemetry {
  const say = (message: string, ...of: unknown[]) => log.warn({ otel: of.map(String) }, message.slice(0, 500));
  diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} }, { logLevel: DiagLogLevel.WARN });
  const resource = resourceFromAttributes({
    'service.name': 'firsthand',
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const isJson = config.protocol === 'http/json';
  const stops: (() => Promise<void>)[] = [];
  if (config.traces) {
    const exporter = isJson ? new JsonTraceExporter() : new ProtobufTraceExporter();
    const provider = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
    provider.register();
    stops.push(() => provider.shutdown());
  }
  if (config.metrics) {
    const reader = new PeriodicExportingMetricReader({
      exporter: isJson ? new JsonMetricExporter() : new ProtobufMetricExporter(),
      exportIntervalMillis: config.metricIntervalMs,
      exportTimeoutMillis: Math.min(config.metricIntervalMs, 30_000),
      metricProducers: [createPrometheusProducer(registry)],
    });
    const meters = new MeterProvider({ resource, readers: [reader] });
    stops.push(() => meters.shutdown());
  }
  return {
    async stop() {
      // A collector that is away must not keep the process from ending well.
      for (const outcome of await Promise.allSettled(stops.map(stop => stop())))
        if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'the last telemetry was not sent');
      trace.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}
