/** The boundaries of ARCHITECTURE.md, checked by `npm run check`. */
const service = '^services/(?!runtime/)([^/]+)/src/';
const reachesOut =
  '(^|/)(store|[a-z-]+-store|entity|grpc|main|app|database|jobs|routes|[a-z-]+-routes)[.]ts$|[.]flow[.]ts$|/on-[a-z-]+[.]ts$|/migrations/';

/** What a resource has besides the usual kinds, and cannot do without a connection. */
const reachOutByNature = [
  '^services/catalog/src/files/[a-z0-9]+-storage[.]ts$',
  '^services/identity/src/signing-keys/keyring[.]ts$',
  '^services/metering/src/ingest/(collector|thread)[.]ts$',
  '^services/notifications/src/emails/[a-z]+-mailer[.]ts$',
];
const store = '[/-]store[.]ts$';
const isTest = '/testing/|[.]test[.]ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'imports-resolve', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'services-meet-in-proto-and-runtime-only',
      severity: 'error',
      from: { path: service },
      to: { path: service, pathNot: '^services/$1/' },
    },
    {
      name: 'runtime-and-gateway-know-no-service',
      severity: 'error',
      from: { path: '^(services/runtime|gateway|proto)/' },
      to: { path: [service, '^deploy/embedded/', '^test/'] },
    },
    {
      name: 'proto-knows-no-runtime',
      severity: 'error',
      from: { path: '^proto/' },
      to: { path: '^(services|gateway|deploy|test)/' },
    },
    {
      name: 'rules-and-shapes-are-pure',
      comment:
        'only stores, routes, flows, consumers and the service’s own frame reach a database, a broker or a client',
      severity: 'error',
      from: { path: `${service}[^/]+/`, pathNot: [reachesOut, ...reachOutByNature, isTest] },
      to: {
        path: [
          '^node_modules/(kafkajs|redis|typeorm|pg|@grpc|@aws-sdk|nodemailer)/',
          '^services/runtime/src/(messaging|grpc|replica)/',
          '^services/runtime/src/db/(?!id|columns)',
          store,
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'foreign-stores-in-flows-and-consumers-only',
      comment: 'a route or a store that needs another resource’s rows asks for them through a flow',
      severity: 'warn',
      from: {
        path: '^services/(?!runtime/)([^/]+)/src/([^/]+)/',
        pathNot: ['[.]flow[.]ts$', '/on-[a-z-]+[.]ts$', '/migrations/', isTest],
      },
      to: { path: '^services/$1/src/.+[/-]store[.]ts$', pathNot: '^services/$1/src/$2/' },
    },
    {
      name: 'packages-are-declared',
      comment: 'a package that is there only because another one needs it may be gone tomorrow',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'kafkajs-in-one-file',
      severity: 'error',
      from: {
        path: '^(services|gateway|proto)/',
        pathNot: ['^services/runtime/src/messaging/kafka[.]ts$', isTest],
      },
      to: { path: '^node_modules/kafkajs/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'product-code-does-not-import-tests',
      severity: 'error',
      from: { path: '^(services|gateway|proto|deploy)/', pathNot: isTest },
      to: { path: ['/testing/', '[.]test[.]ts$', '^test/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/gen/', '[.]gen[.](ts|json)$', '^test/contract/reference'] },
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      mainFields: ['module', 'main'],
    },
    moduleSystems: ['es6', 'cjs'],
    combinedDependencies: true,
  },
};
