import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of the vision model: cost, latency and results. */
export function createVisionMetrics(registry: Registry) {
  const registers = [registry];
  return {
    questions: new Counter({
      name: 'firsthand_vision_questions_total',
      help: 'Questions to the vision model, by purpose and outcome',
      labelNames: ['purpose', 'outcome'],
      registers,
    }),
    requests: new Histogram({
      name: 'firsthand_vision_request_seconds',
      help: 'Time of one request to the vision model, by purpose and outcome',
      labelNames: ['purpose', 'outcome'],
      buckets: [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120],
      registers,
    }),
    tokens: new Counter({
      name: 'firsthand_vision_tokens_total',
      help: 'Tokens that the vision model counted, by purpose and direction',
      labelNames: ['purpose', 'direction'],
      registers,
    }),
    cost: new Counter({
      name: 'firsthand_vision_cost_total',
      help: 'What those tokens cost at VISION_PRICE_INPUT and VISION_PRICE_OUTPUT a million',
      labelNames: ['purpose'],
      registers,
    }),
    resting: new Gauge({
      name: 'firsthand_vision_circuit_open',
      help: '1 while the vision model is not asked after failures in a row, by purpose',
      labelNames: ['purpose'],
      registers,
    }),
  };
}

export type VisionMetrics = ReturnType<typeof createVisionMetrics>;
