// Expo's config plugin. It runs in Node.js while native projects are written, and never loads react-native.
const { createRunOncePlugin, withEntitlementsPlist, withPlugins } = require('expo/config-plugins');
const { name, version } = require('./package.json');

const CAMERA = 'The camera takes the photos that you were asked for.';
const ENTITLEMENT = 'com.apple.developer.devicecheck.appattest-environment';
const ENVIRONMENTS = ['production', 'development', false];

/**
 * @param {object} options
 * @param {string} [options.cameraPermission] what iOS says when it asks for the camera
 * @param {'production' | 'development' | false} [options.appAttest] false: the app attests nothing on iOS
 * @param {string} [options.cloudProjectNumber] for Play Integrity; the app reads it as `extra.firsthand.cloudProjectNumber`
 */
function withFirsthand(config, { cameraPermission = CAMERA, appAttest = 'production', cloudProjectNumber } = {}) {
  if (!ENVIRONMENTS.includes(appAttest)) {
    throw new Error(
      `${name}: appAttest must be "production", "development" or false, not ${JSON.stringify(appAttest)}`,
    );
  }
  if (cloudProjectNumber !== undefined && !/^\d+$/.test(cloudProjectNumber)) {
    throw new Error(`${name}: cloudProjectNumber must be the project's number as a text of digits, not its name`);
  }
  // Expo applies this plugin by itself too, and then with the microphone. Only its first run counts.
  const silent = { cameraPermission, microphonePermission: false, recordAudioAndroid: false };
  let next = withPlugins(config, [['expo-camera', silent]]);
  if (appAttest !== false) {
    next = withEntitlementsPlist(next, mod => {
      mod.modResults[ENTITLEMENT] = appAttest;
      return mod;
    });
  }
  if (cloudProjectNumber !== undefined) {
    next.extra = { ...next.extra, firsthand: { ...next.extra?.firsthand, cloudProjectNumber } };
  }
  return next;
}

module.exports = createRunOncePlugin(withFirsthand, name, version);
