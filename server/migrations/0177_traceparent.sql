-- The W3C trace context of the request or job that caused the row, where OpenTelemetry is on. Whoever works on it continues the trace.
alter table events add traceparent text;
alter table captures add traceparent text;
