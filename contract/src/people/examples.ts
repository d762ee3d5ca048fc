import type { EndpointExamples } from '../base/endpoint-examples.ts';

const created_at = '2026-11-21T09:00:00.000Z';
const expires_at = '2026-11-21T09:30:00.000Z';
const tenantId = 'tnt_01JD3V4T6V8X0Z2B4D6F8H0J2K';
const personId = 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z';
const sessionId = 'ses_01JD3V5S7T9V1W3X5Y7Z9A1B3C';
const passkeyId = 'psk_01JD3V5K7M9N1P3Q5R7S9T1V3W';
const otpId = 'walotp_01JD3V5C7D9E1F3G5H7J9K1M3N';

const session = { id: sessionId, method: 'passkey', created_at, expires_at };
const passkey = { id: passkeyId, name: 'Laptop', created_at };
const me = {
  person: { id: personId, name: 'Ada Winter', email: 'ada@acme.example' },
  tenant: { id: tenantId, name: 'Acme Insurance', role: 'owner', livemode: true },
  tenants: [{ id: tenantId, name: 'Acme Insurance', role: 'owner' }],
  invitations: [{ id: 'tnt_01JD3V4W8X0Y2Z4A6B8C0D2E4F', name: 'Beta Motors', role: 'viewer' }],
  last_visit_at: '2026-11-20T16:48:00.000Z',
  session,
  passkeys: [passkey],
};
const person = {
  id: personId,
  name: 'Ada Winter',
  email: 'ada@acme.example',
  role: 'member',
  created_at,
};
const challenge = 'p3zJ4tQ0m0Yb1w2n5s8v9x7c6d4f3g2h1j0k9l8m7n6';
const rawId = 'Xa1bC2dE3fG4hI5jK6lM7n';
const clientDataJSON = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoicDN6SjQifQ';
const token = 'mlk_01JD3V5B7C9D1E3F5G7H9J1K3M';

/** Examples for the endpoints of signing in, your own account and people. */
export const PEOPLE_EXAMPLES: Readonly<Record<string, EndpointExamples>> = {
  'GET /v1/auth/methods': {
    responses: {
      200: {
        providers: [{ name: 'google', label: 'Google' }],
        magic_link: true,
        one_time_code: false,
        passkey: true,
        missing: { one_time_code: 'To sign in with a code by message, set BOT_URL and BOT_SECRETS.' },
      },
    },
  },
  'POST /v1/auth/magic-link': { request: { email: 'ada@acme.example' }, responses: { 202: {} } },
  'POST /v1/auth/magic-link/redeem': { request: { token }, responses: { 200: me } },
  'POST /v1/auth/one-time-code': {
    request: { phone_e164: '+4915123456789' },
    responses: { 202: { otp_id: otpId, expires_at } },
  },
  'POST /v1/auth/one-time-code/redeem': { request: { otp_id: otpId, code: '123456' }, responses: { 200: me } },
  'POST /v1/auth/passkey/options': {
    request: {},
    responses: { 200: { challenge, rpId: 'localhost', timeout: 300000, userVerification: 'required' } },
  },
  'POST /v1/auth/passkey/redeem': {
    request: {
      id: rawId,
      rawId,
      type: 'public-key',
      response: {
        clientDataJSON,
        authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4',
        signature: 'MEUCIQDx',
        userHandle: null,
      },
      clientExtensionResults: {},
    },
    responses: { 200: me },
  },
  'POST /v1/auth/first-run': {
    request: { token: 'k1y8Zq3T5vX7zB9dF1hJ3mN5pR7sU9wY1aC3eG5iK7o' },
    responses: { 200: me },
  },
  'POST /v1/auth/sign-out': { request: {} },
  'GET /v1/me': { responses: { 200: me } },
  'POST /v1/me/tenant': { request: { tenant_id: tenantId, livemode: true }, responses: { 200: me } },
  'POST /v1/me/passkeys/options': {
    request: {},
    responses: {
      200: {
        challenge,
        rp: { id: 'localhost', name: 'Firsthand' },
        user: { id: 'dXNyXzAx', name: 'ada@acme.example', displayName: 'Ada Winter' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      },
    },
  },
  'POST /v1/me/passkeys': {
    request: {
      name: 'Laptop',
      response: {
        id: rawId,
        rawId,
        type: 'public-key',
        response: { clientDataJSON, attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ' },
        clientExtensionResults: {},
      },
    },
    responses: { 201: passkey },
  },
  'GET /v1/me/sessions': {
    responses: {
      200: {
        data: [
          { ...session, last_seen_at: created_at, address: '203.0.113.7', device: 'Chrome on Windows', current: true },
        ],
      },
    },
  },
  'GET /v1/people': { responses: { 200: { data: [{ ...person, last_sign_in_at: created_at }] } } },
  'POST /v1/people': {
    request: { email: 'ada@acme.example', name: 'Ada Winter', role: 'member' },
    responses: { 201: { ...person, sign_in_url: `http://localhost:8080/dashboard/sign-in#token=${token}` } },
  },
  'PATCH /v1/people/:id': { request: { role: 'reviewer' }, responses: { 200: { ...person, role: 'reviewer' } } },
};
