import type { Registry } from 'prom-client';
import type { VisionConfig } from '../config/vision.ts';
import type { Log } from '../lib/log.ts';
import { createVision, type Vision } from './client.ts';
import { createVisionMetrics } from './metrics.ts';

/** Connects the configured vision model. */
export const connectVision = (config: VisionConfig, registry: Registry, log: Log): Vision =>
  createVision(config, { metrics: createVisionMetrics(registry), log });
