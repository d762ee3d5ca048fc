import { expect, it } from 'vitest';
import { readConfig } from '../../platform/config/config.ts';
import { mayReach } from './allowed-address.ts';

const laptop = { config: readConfig({}) };
const server = { config: readConfig({ HOST: '0.0.0.0', PUBLIC_URL: 'https://firsthand.example' }) };

it.each([
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '100.64.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2001:0:1::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
])('a service that is reached from outside sends nothing to %s', address => {
  expect(mayReach(server, address)).toBe(false);
});

it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1'])(
  'mayReach allows the public address %s',
  address => {
    expect(mayReach(server, address)).toBe(true);
  },
);

it('mayReach allows loopback while the service listens only on loopback and has no public address', () => {
  expect(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map(address => mayReach(laptop, address))).toEqual([
    true,
    true,
    true,
  ]);
  expect(mayReach(laptop, '10.0.0.1')).toBe(false);
  const open = { config: readConfig({ HOST: '0.0.0.0' }) };
  const proxied = { config: readConfig({ PUBLIC_URL: 'https://firsthand.example' }) };
  expect([mayReach(open, '127.0.0.1'), mayReach(proxied, '127.0.0.1')]).toEqual([false, false]);
});

it('mayReach allows WEBHOOK_ALLOW_CIDRS, and no other private address', () => {
  const some = { config: { ...server.config, webhookAllowCidrs: ['10.1.0.0/16', '192.168.7.7', 'fd12::/16'] } };
  const reached = ['10.1.2.3', '10.2.0.1', '192.168.7.7', '192.168.7.8', 'fd12::5', 'fd13::5', '::ffff:10.1.2.3'];
  expect(reached.map(address => mayReach(some, address))).toEqual([true, false, true, false, true, false, true]);
});

it.each([
  { PUBLIC_URL: 'https://firsthand.example' },
  { CAPTURE_BASE_URL: 'https://capture.example' },
  { HOST: '0.0.0.0' },
])('a service with %o sends nothing to loopback', env => {
  expect(mayReach({ config: readConfig(env) }, '127.0.0.1')).toBe(false);
  expect(mayReach({ config: readConfig({ ...env, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }) }, '127.0.0.1')).toBe(true);
});
