// Runs in the Hermes engine, after scripts/hermes.ts compiled it: takes one photo through the package, with native parts that stand in
// memory. Says in one line what became of it. No timer fires here.
const { heldLinks, openCapture } = require('@firsthand/react-native');

const files = new Map();
const camera = new Map([['file:///p.jpg', Uint8Array.from([255, 216, 255, 224, ...Array(60).fill(1)])]]);
const secrets = new Map();
const sent = [];
const below = path => [...files.keys()].filter(name => name.startsWith(path === '' ? '' : `${path}/`));
const view = {
  id: 'vfy_1',
  status: 'pending',
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  config: { steps: [{ type: 'image', key: 'front', min: 1, max: 1, description: '' }] },
  captures_count: 0,
  step_states: [{ type: 'image', key: 'front', captured: 0, min: 1, max: 1 }],
  requires: { location: false, motion_frame: false },
};
const answer = body => ({ ok: true, status: 200, headers: { get: () => null }, json: async () => body });

const phone = {
  files: {
    list: async folder => [
      ...new Set(below(folder).map(name => name.slice(folder && folder.length + 1).split('/')[0])),
    ],
    readText: async path => files.get(path),
    writeText: async (path, text) => files.set(path, text),
    readBytes: async path => new Uint8Array(files.get(path)),
    move: async (from, to) => {
      files.set(to, files.get(from));
      files.delete(from);
    },
    take: async (uri, path) => files.set(path, camera.get(uri)),
    remove: async path => {
      for (const name of [path, ...below(path)]) files.delete(name);
    },
    uriOf: path => `file:///${path}`,
    upload: async () => 200,
  },
  secrets: {
    get: async name => secrets.get(name) ?? null,
    set: async (name, value) => secrets.set(name, value),
    remove: async name => secrets.delete(name),
  },
  // No digest: any 32 bytes of the text will do here.
  sha256: async bytes => Uint8Array.from({ length: 32 }, (_, at) => bytes[at % bytes.length]),
  randomId: () => 'photo',
  integrity: async () => ({
    provider: 'app_attest',
    generateKey: async () => 'key',
    attestKey: async () => 'AAAA',
    assert: async () => 'BBBB',
  }),
  onReturn: () => () => {},
  fetch: async (url, { body } = {}) => {
    if (url.endsWith('/upload-url')) return answer({ image_key: 'k', upload_url: '/', method: 'PUT', headers: {} });
    if (body) {
      sent.push(JSON.parse(body));
      view.step_states[0].captured = 1;
    }
    return answer(view);
  },
};

async function run() {
  const capture = await openCapture(phone, { token: 'vfy_1', baseUrl: 'https://photos.example' });
  const { config } = await capture.view();
  await capture.add(config.steps[0], 'file:///p.jpg');
  await capture.attested();
  const [{ attestation, contentType }] = await capture.photos();
  const links = await heldLinks(phone);
  const { outcome } = await capture.send();
  return {
    attestation,
    contentType,
    links: links.length,
    outcome,
    attested: sent[0].attestation_token !== undefined,
    left: files.size,
  };
}
run().then(
  result => print(JSON.stringify(result)),
  error => print(`${error.stack}\n${error.cause ? error.cause.stack : ''}`),
);
