// The map of ARCHITECTURE.md, held by the linter.

/** From top to bottom. A row may import only from the rows below it: not from a row above, and not from its neighbours in the same row. */
const CHAIN = [
  ['main'],
  ['commands'],
  ['service'],
  ['app', 'worker'],
  ['pages'],
  ['open'],
  ['custody'],
  ['desk'],
  ['inspection', 'delivery'],
  ['verification'],
  ['record'],
  ['identity'],
  ['platform'],
];

/** The rooms of each district, in the same order. A room that is not named here may import any room of its district. */
const ROOMS = {
  platform: [['http', 'jobs'], ['deps'], ['blobs', 'limits', 'telemetry', 'vision'], ['config'], ['db'], ['lib']],
  identity: [['auth'], ['tenants'], ['people'], ['audit']],
  record: [['events', 'evidence']],
  verification: [['templates', 'trials', 'captures', 'verdict'], ['verifications']],
  inspection: [['cases'], ['analysis'], ['checks']],
  delivery: [['notifications', 'changes'], ['webhooks']],
  desk: [
    ['bulk', 'batches', 'statistics', 'system'],
    ['long-work', 'reviews'],
  ],
  custody: [['erasure'], ['bundles', 'backup'], ['credentials']],
};

/** The files of each district that other districts may import. What puts the program together (`app`, `commands`, …) may import any. */
const DOORS = {
  platform: {
    blobs: 'faults store write-once',
    config: 'attestation config environment sign-in',
    db: 'batches embedded listen sql storable',
    deps: '',
    http: 'blob-routes body cursor endpoint idempotency open-streams plain-page principal problem register root structure validate',
    jobs: 'queue taking turns',
    lib: 'addresses ask-json base64 c2pa-writer device digest event-loop ids keyring log log-name mail mask-url text tracing version',
    limits: 'limiter postgres redis',
    vision: 'client prompt',
  },
  identity: {
    audit: 'audit',
    auth: 'limits still-allowed',
    people: 'forget openings persons tokens sign-in/one-time-code sign-in/ways',
    tenants: 'brands create example-pictures',
  },
  record: { events: 'outbox record', evidence: 'cosign log statements tiles' },
  verification: {
    captures: 'analysis-queue attestation/binding erase film-prints image-key trace write',
    templates: 'row',
    verdict: 'decide settle support test-outcome',
    verifications: 'advance issue present reviews row seal select steps warnings write',
  },
  inspection: { analysis: 'reverse/store', cases: 'narrative', checks: 'geocode tesseract' },
  delivery: { changes: 'hub', notifications: 'erase', webhooks: 'erase queue resend-newest' },
  desk: { bulk: 'actions', reviews: 'erase' },
  custody: {},
};

if (DOORS.verification.verifications.split(' ').length > 10) throw new Error('verifications shows at most ten files');

/** The dashboard's pages, from those that a person opens first to what all of them use. */
const PAGES = [
  ['main'],
  ['app'],
  ['pages'],
  ['(home|issue|templates|batches|bulk|verifications|request|statistics|routes)'],
  ['case'],
  ['admin'],
  ['entry'],
  ['base'],
];

const TESTS = '\\.test\\.tsx?$';
const path = (folder, names) => `^${folder}(${names.join('|')})(\\.tsx?$|/)`;

/** Rules that forbid each row of a chain to import from its neighbours or from a row above. */
const downwards = (folder, chain) =>
  chain.flatMap((names, row) => {
    const above = chain.slice(0, row).flat();
    return names.flatMap(name => {
      const closed = [...above, ...names.filter(other => other !== name)];
      if (closed.length === 0) return [];
      return {
        name: `${folder}${name}-imports-only-downwards`,
        severity: 'error',
        from: { path: path(folder, [name]), pathNot: TESTS },
        to: { path: path(folder, closed) },
      };
    });
  });

const throughDoors = Object.entries(DOORS).map(([district, rooms]) => {
  const files = Object.entries(rooms).flatMap(([room, names]) =>
    names === '' ? [room] : names.split(' ').map(name => `${room}/${name}`),
  );
  return {
    name: `${district}-is-entered-by-its-door`,
    severity: 'error',
    from: { path: `^server/src/(${Object.keys(DOORS).join('|')})/`, pathNot: [`^server/src/${district}/`, TESTS] },
    to: { path: `^server/src/${district}/`, pathNot: `^server/src/${district}/(${files.join('|')})\\.ts$` },
  };
});

const WORKSPACES = [
  'contract',
  'stamps',
  'evidence',
  'report',
  'forensics',
  'look',
  'sdk',
  'cli',
  'mcp',
  'react',
  'react-native',
  'capture',
  'dashboard',
  'verify',
  'site',
  'server',
  'bench',
];

/** A pattern of every workspace's files but those of `allowed`, of which the first is the importing one. */
const allBut = (...allowed) => `^(${WORKSPACES.filter(name => !allowed.includes(name)).join('|')})/`;

export default {
  forbidden: [
    ...downwards('server/src/', CHAIN),
    ...Object.entries(ROOMS).flatMap(([district, rooms]) => downwards(`server/src/${district}/`, rooms)),
    ...downwards('dashboard/src/', PAGES),
    {
      name: 'what-the-contract-shares-knows-no-subject',
      severity: 'error',
      from: { path: '^contract/src/base/', pathNot: TESTS },
      to: { path: '^contract/src/', pathNot: '^contract/src/base/' },
    },
    ...throughDoors,
    {
      name: 'verifications-are-entered-by-their-door-from-rooms-beside-them-too',
      severity: 'error',
      from: { path: '^server/src/verification/', pathNot: ['^server/src/verification/verifications/', TESTS] },
      to: {
        path: '^server/src/verification/verifications/',
        pathNot: `/(${DOORS.verification.verifications.replaceAll(' ', '|')})\\.ts$`,
      },
    },
    {
      name: 'nobody-needs-research',
      severity: 'error',
      from: { pathNot: '^research/' },
      to: { path: '^research/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'contract-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^contract/' },
      to: { path: allBut('contract') },
    },
    {
      name: 'look-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^look/' },
      to: { path: allBut('look') },
    },
    {
      name: 'stamps-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^stamps/' },
      to: { path: allBut('stamps') },
    },
    {
      name: 'evidence-knows-stamps-only',
      severity: 'error',
      from: { path: '^evidence/' },
      to: { path: allBut('evidence', 'stamps') },
    },
    {
      name: 'report-knows-evidence-only',
      severity: 'error',
      from: { path: '^report/' },
      to: { path: allBut('report', 'evidence') },
    },
    {
      name: 'evidence-runs-in-a-browser',
      severity: 'error',
      from: { path: '^((stamps|evidence|report)/src|evidence/log)', pathNot: '^evidence/src/sha256-node\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'forensics-is-pure',
      severity: 'error',
      from: { path: '^forensics/' },
      to: { path: allBut('forensics', 'contract') },
    },
    {
      name: 'sdk-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^sdk/src', pathNot: TESTS },
      to: { path: allBut('sdk') },
    },
    {
      name: 'cli-knows-evidence-report-and-sdk-only',
      severity: 'error',
      from: { path: '^cli/src' },
      to: { path: allBut('cli', 'evidence', 'report', 'sdk') },
    },
    {
      // Its sentences about a verdict are those of the dashboard.
      name: 'mcp-knows-sdk-contract-and-the-words-of-the-dashboard-only',
      severity: 'error',
      from: { path: '^mcp/src' },
      to: {
        path: [
          allBut('mcp', 'sdk', 'contract', 'dashboard'),
          '^dashboard/(?!src/(base/messages/en/|case/why/findings\\.ts))',
        ],
      },
    },
    {
      // The component has the hosted page's texts and rules; they are packed with it.
      name: 'react-knows-sdk-and-the-words-and-rules-of-the-capture-page-only',
      severity: 'error',
      from: { path: '^react/src' },
      to: {
        path: [
          allBut('react', 'sdk', 'capture', 'contract', 'look'),
          '^capture/src/(?!messages/|(files|flow|refusal)\\.ts)',
        ],
      },
    },
    {
      // The same for apps, without the components for pages.
      name: 'react-native-knows-sdk-and-what-react-shares-and-the-rules-of-the-capture-page-only',
      severity: 'error',
      from: { path: '^react-native/src', pathNot: TESTS },
      to: {
        path: [
          allBut('react-native', 'sdk', 'react', 'capture', 'contract', 'look'),
          '^react/src/(?!(checks|controller|use-controller|word-keys)\\.ts)',
          '^capture/src/(?!messages/|(brand|files|flow|refusal)\\.ts)',
        ],
      },
    },
    {
      name: 'pages-know-contract-evidence-report-sdk-and-look-only',
      severity: 'error',
      from: { path: '^(capture|dashboard|verify|site)/src' },
      to: { path: '^(stamps|forensics|cli|mcp|server|bench)/' },
    },
    {
      name: 'pages-do-not-know-each-other',
      severity: 'error',
      from: { path: '^(capture|dashboard|verify|site)/' },
      to: { path: '^(capture|dashboard|verify|site)/', pathNot: '^$1/' },
    },
    {
      name: 'the-server-does-not-know-the-pages',
      severity: 'error',
      from: { path: '^server/src/' },
      to: { path: '^(look|capture|dashboard|verify|site)/' },
    },
    {
      name: 'server-imports-no-scripts',
      severity: 'error',
      from: { path: '^server/src/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(react-native|expo-[a-z-]+|expo/config-plugins|@expo/app-integrity)$' },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '\\.test\\.tsx?$' },
      to: { path: '\\.test\\.tsx?$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(capture|dashboard|verify|site)/dist|^examples/app/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
};
