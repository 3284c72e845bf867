/** The boundaries of ARCHITECTURE.md, checked by `npm run check`. */
const service = '^services/(?!runtime/)([^/]+)/src/';
const reachesOut =
  '(^|/)(store|[a-z-]+-store|entity|grpc|main|app|database|jobs|routes|portal-routes)[.]ts$|[.]flow[.]ts$|/on-[a-z-]+[.]ts$|/migrations/';

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
      from: {
        path: `${service}[^/]+/(schema|present|[a-z-]+)[.]ts$`,
        pathNot: [reachesOut, '[.]test[.]ts$'],
      },
      to: { path: '^node_modules/(kafkajs|redis|typeorm|pg)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'kafkajs-in-one-file',
      severity: 'error',
      from: {
        path: '^(services|gateway|proto)/',
        pathNot: ['^services/runtime/src/messaging/kafka[.]ts$', '[.]test[.]ts$'],
      },
      to: { path: '^node_modules/kafkajs/' },
    },
    {
      name: 'product-code-does-not-import-tests',
      severity: 'error',
      from: { path: '^(services|gateway|proto|deploy)/', pathNot: ['/testing/', '[.]test[.]ts$'] },
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
