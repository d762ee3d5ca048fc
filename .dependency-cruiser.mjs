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
      to: { path: '^(stamps|evidence|report|forensics|look|sdk|capture|dashboard|verify|server|bench)/' },
    },
    {
      name: 'look-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^look/' },
      to: { path: '^(contract|stamps|evidence|report|forensics|sdk|capture|dashboard|verify|server|bench)/' },
    },
    {
      name: 'stamps-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^stamps/' },
      to: { path: '^(contract|evidence|report|forensics|look|sdk|capture|dashboard|verify|server|bench)/' },
    },
    {
      name: 'evidence-knows-stamps-only',
      severity: 'error',
      from: { path: '^evidence/' },
      to: { path: '^(contract|report|forensics|look|sdk|capture|dashboard|verify|server|bench)/' },
    },
    {
      name: 'report-knows-evidence-only',
      severity: 'error',
      from: { path: '^report/' },
      to: { path: '^(contract|stamps|forensics|look|sdk|capture|dashboard|verify|server|bench)/' },
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
      to: { path: '^(stamps|evidence|report|look|sdk|capture|dashboard|verify|server|bench)/' },
    },
    {
      name: 'sdk-knows-contract-only',
      severity: 'error',
      from: { path: '^sdk/src' },
      to: { path: '^(stamps|evidence|report|forensics|look|capture|dashboard|verify|server|bench)/' },
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
