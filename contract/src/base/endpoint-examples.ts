/**
 * Examples of an endpoint's request and its successful answers. The OpenAPI document shows them, and a test replays
 * them.
 */
export interface EndpointExamples {
  request?: unknown;
  responses?: Record<number, unknown>;
}
