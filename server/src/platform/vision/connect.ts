import type { Registry } from 'prom-client';
import type { VisionConfig } from '../config/vision.ts';
import type { Log } from '../lib/log.ts';
import { createVision, type Vision } from './client.ts';
import { createVisionMetrics } from './metrics.ts';

/** Connects the configured vision model; null when none is configured. */
export const connectVision = (config: VisionConfig | null, registry: Registry, log: Log): Vision | null =>
  config && createVision(config, { metrics: createVisionMetrics(registry), log });
