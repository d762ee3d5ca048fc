import type { EndpointExamples } from '../base/endpoint-examples.ts';

const batch = {
  id: 'bat_01JD3VAB2C4D6E8F0G1H3J5K7M',
  state: 'running',
  total: 1200,
  created: 300,
  failed: 0,
  send: false,
  livemode: true,
  created_at: '2026-11-21T10:00:00.000Z',
};
const check = {
  total: 1,
  faults: [],
  preview: [
    {
      max_captures: 2,
      expected_info: {
        source: 'csv',
        subject: { asset_ref: 'VIN 7', person: { name: 'Ada Okafor', external_ref: 'C-1042' } },
      },
    },
  ],
};

const bulkAct = {
  id: 'blk_01JD3VAB2C4D6E8F0G1H3J5K7N',
  act: 'cancel',
  state: 'running',
  total: 120,
  done: 30,
  failed: 1,
  created_at: '2026-11-21T10:00:00.000Z',
};

/** Examples of the endpoints that act on many verifications. */
export const BATCH_EXAMPLES: Readonly<Record<string, EndpointExamples>> = {
  'POST /v1/batches': {
    request: {
      request: { max_captures: 2 },
      rows: [{ name: 'Ada Okafor', external_ref: 'C-1042', asset_ref: 'VIN 7', 'metadata.branch': 'North' }],
    },
    responses: { 200: check, 202: { ...batch, state: 'queued', total: 1, created: 0 } },
  },
  'GET /v1/batches': { responses: { 200: { data: [batch] } } },
  'GET /v1/batches/:id': { responses: { 200: batch } },
  'POST /v1/batches/:id/cancel': {
    responses: { 200: { ...batch, state: 'cancelled', ended_at: '2026-11-21T10:01:00.000Z' } },
  },
  'GET /v1/batches/:id/results': {
    responses: {
      200: 'row,id,capture_url,error\r\n2,vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z,http://localhost:8080/v/vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z,\r\n',
    },
  },
  'POST /v1/bulk-acts': {
    request: { act: 'cancel', filter: { status: ['pending'], created_before: '2026-11-01T00:00:00.000Z' } },
    responses: { 202: { ...bulkAct, state: 'queued', total: 0, done: 0, failed: 0 } },
  },
  'GET /v1/bulk-acts': { responses: { 200: { data: [bulkAct] } } },
  'GET /v1/bulk-acts/:id': { responses: { 200: bulkAct } },
  'POST /v1/bulk-acts/:id/cancel': {
    responses: { 200: { ...bulkAct, state: 'cancelled', ended_at: '2026-11-21T10:01:00.000Z' } },
  },
  'GET /v1/bulk-acts/:id/results': {
    responses: {
      200: 'id,result,error,created_id\r\nvfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z,failed,verification_closed,\r\n',
    },
  },
};
