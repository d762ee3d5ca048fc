// The arrows of ARCHITECTURE.md, held by the linter: a layer may import from those listed after it, never upwards.
const layers = [
  ['main', 'commands'],
  ['service', 'app', 'worker'],
  ['open'],
  ['bulk'],
  ['erasure'],
  ['batches'],
  ['webhooks', 'bundles', 'notifications', 'templates', 'trials', 'statistics', 'changes', 'system'],
  ['reviews'],
  ['cases'],
  ['analysis'],
  ['checks'],
  ['verdict'],
  ['captures'],
  ['verifications'],
  ['evidence'],
  ['auth', 'people', 'tenants'],
  ['backup', 'vision', 'events', 'jobs', 'blobs', 'db', 'http', 'lib', 'config', 'telemetry', 'deps'],
];
const path = names => `^server/src/(${names.join('|')})(\\.ts$|/)`;

const upward = layers.slice(1).map((names, index) => ({
  name: `${names[0]}-imports-upwards`,
  severity: 'error',
  from: { path: path(names), pathNot: '\\.test\\.ts$' },
  to: { path: path(layers.slice(0, index + 1).flat()) },
}));

const WORKSPACES = [
  'contract',
  'stamps',
  'evidence',
  'report',
  'forensics',
  'look',
  'sdk',
  'capture',
  'dashboard',
  'verify',
  'server',
  'bench',
];

/** A pattern of every workspace's files but those of `allowed`, of which the first is the importing one. */
const allBut = (...allowed) => `^(${WORKSPACES.filter(name => !allowed.includes(name)).join('|')})/`;

export default {
  forbidden: [
    ...upward,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
      from: { path: '^(stamps|evidence|report)/src', pathNot: '^evidence/src/sha256-node\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'forensics-is-pure',
      severity: 'error',
      from: { path: '^forensics/' },
      to: { path: allBut('forensics', 'contract') },
    },
    {
      name: 'sdk-knows-contract-only',
      severity: 'error',
      from: { path: '^sdk/src' },
      to: { path: allBut('sdk', 'contract') },
    },
    {
      name: 'pages-know-contract-evidence-report-sdk-and-look-only',
      severity: 'error',
      from: { path: '^(capture|dashboard|verify)/src' },
      to: { path: '^(stamps|forensics|server|bench)/' },
    },
    {
      name: 'pages-do-not-know-each-other',
      severity: 'error',
      from: { path: '^(capture|dashboard|verify)/' },
      to: { path: '^(capture|dashboard|verify)/', pathNot: '^$1/' },
    },
    {
      name: 'the-server-does-not-know-the-pages',
      severity: 'error',
      from: { path: '^server/src/' },
      to: { path: '^(look|capture|dashboard|verify)/' },
    },
    {
      name: 'server-imports-no-scripts',
      severity: 'error',
      from: { path: '^server/src/' },
      to: { path: '^scripts/' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '\\.test\\.tsx?$' },
      to: { path: '\\.test\\.tsx?$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(capture|dashboard|verify)/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
};
