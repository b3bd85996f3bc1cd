// The import table of docs/tour.md, held verbatim: a room may import what its row lists and nothing else.
const rows = {
  base: [],
  protocol: [],
  telemetry: ['base', 'protocol'],
  grammar: ['base', 'protocol'],
  chat: ['base', 'protocol'],
  models: ['base', 'protocol'],
  http: ['base', 'telemetry'],
  engine: ['base', 'protocol', 'telemetry', 'chat', 'grammar'],
  native: ['base', 'engine/model-runner'],
  'dialects/openai': ['base', 'protocol', 'http', 'telemetry'],
  config: ['base', 'options'],
};
const doors = (room) => (room === 'options' ? '/options\\.ts$' : `^src/${room}/(index|options)\\.ts$`);
const allowedFor = (room, targets) => ({
  name: `${room.replace('/', '-')}-imports`,
  comment: `${room} may import only: ${targets.join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
  to: {
    path: '^src/',
    pathNot: [
      `^src/${room}/`,
      ...targets.map((t) => (t.includes('model-runner') ? `^src/${t}\\.ts$` : doors(t))),
    ],
  },
});
const dialectTargets = ['base', 'protocol', 'http', 'telemetry', 'dialects/openai'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(rows).map(([room, targets]) => allowedFor(room, targets)),
    {
      name: 'dialects-imports',
      comment: `a dialect may import ${dialectTargets.join(', ')}, never another dialect`,
      severity: 'error',
      from: { path: '^src/dialects/([^/]+)/', pathNot: ['^src/dialects/openai/', '\\.test\\.ts$'] },
      to: { path: '^src/', pathNot: ['^src/dialects/$1/', ...dialectTargets.map(doors)] },
    },
    {
      name: 'cli-goes-through-doors',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/cli/', '/index\\.ts$', '/options\\.ts$'] },
    },
    {
      name: 'only-native-binds',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/native/' },
      to: { path: 'node_modules/koffi' },
    },
    {
      name: 'no-tests-in-source',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^test/', '\\.test\\.ts$'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
