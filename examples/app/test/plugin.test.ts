/** @jest-environment node */
import { type ConfigPlugin, compileModsAsync, type ExportedConfig } from 'expo/config-plugins';

const plugin: ConfigPlugin<object> = require('@firsthand/react-native/app.plugin.js');
const ENTITLEMENT = 'com.apple.developer.devicecheck.appattest-environment';

/** The native files as `expo prebuild` would write them. */
async function written(options: object) {
  const config: ExportedConfig = {
    name: 'app',
    slug: 'app',
    ios: { bundleIdentifier: 'com.example.claims' },
    android: { package: 'com.example.claims' },
    _internal: { projectRoot: process.cwd() },
  };
  const compiled: ExportedConfig = await compileModsAsync(plugin(config, options), {
    projectRoot: process.cwd(),
    introspect: true,
    platforms: ['ios', 'android'],
    assertMissingModProviders: false,
  });
  return {
    plist: compiled.ios?.infoPlist ?? {},
    entitlements: compiled.ios?.entitlements ?? {},
    permissions: compiled.android?.permissions ?? [],
    extra: compiled.extra,
  };
}

jest.setTimeout(60_000);

test('the plugin asks for the camera in the app’s words and for no microphone', async () => {
  const { plist, permissions } = await written({ cameraPermission: 'For your claim.' });
  expect(plist.NSCameraUsageDescription).toBe('For your claim.');
  expect(plist).not.toHaveProperty('NSMicrophoneUsageDescription');
  expect(plist).not.toHaveProperty('NSMotionUsageDescription');
  expect(permissions).toContain('android.permission.CAMERA');
  expect(permissions).not.toContain('android.permission.RECORD_AUDIO');
});

test('the plugin gives the App Attest entitlement, for production unless told otherwise', async () => {
  expect((await written({})).entitlements[ENTITLEMENT]).toBe('production');
  expect((await written({ appAttest: 'development' })).entitlements[ENTITLEMENT]).toBe('development');
  expect((await written({ appAttest: false })).entitlements).not.toHaveProperty(ENTITLEMENT);
  await expect(written({ appAttest: 'prod' })).rejects.toThrow('appAttest must be');
});

test('the plugin passes the cloud project’s number on to the app, and refuses a name', async () => {
  const { extra } = await written({ cloudProjectNumber: '123456789' });
  expect(extra).toEqual({ firsthand: { cloudProjectNumber: '123456789' } });
  await expect(written({ cloudProjectNumber: 'my-project' })).rejects.toThrow('a text of digits');
});
