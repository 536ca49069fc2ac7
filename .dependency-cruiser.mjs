/**
 * The import directions (architecture §layout), checked by `npm test`. Each folder lists what it may
 * import of ours; everything else of ours is forbidden to it. Type-only imports are told apart where the
 * design allows types only.
 */

/** Folders that each folder may import as code. */
const CODE = {
  // The contract with clients imports nothing else of ours.
  '^src/contract/': ['^src/contract/'],
  '^src/common/': ['^src/common/'],
  '^src/domain/': ['^src/domain/'],
  '^workflows/': ['^workflows/', '^src/domain/'],
  '^activities/': [
    '^activities/',
    '^src/domain/',
    // The stateless readers and writers; what has a state is passed in.
    '^src/archive/(layout|limits|package-reader|packed-file|storage)\\.ts$',
    '^src/products/(attachment-reader|compared-with-inserted|history-checks|parse-product|submitter-reader|xml/decode)\\.ts$',
    '^src/notifications/mail/(summary|summary-rows|digest)\\.ts$',
  ],
  '^src/archive/': ['^src/archive/', '^src/domain/'],
  '^src/products/': ['^src/products/', '^src/domain/'],
  '^src/database/': ['^src/database/', '^src/domain/'],
  '^src/regulator/': ['^src/regulator/', '^src/domain/'],
  '^src/notifications/': ['^src/notifications/', '^src/domain/'],
  '^src/http/': ['^src/http/', '^src/domain/'],
  '^src/temporal/': ['^src/temporal/', '^src/domain/', '^workflows/messages\\.ts$'],
  '^src/observability/': ['^src/observability/', '^src/domain/', '^src/http/'],
  '^src/gateway/': [
    '^src/gateway/',
    '^src/contract/schemas/',
    '^src/domain/',
    '^src/http/',
    '^src/archive/storage\\.ts$',
    '^workflows/messages\\.ts$',
  ],
  '^src/trial-parts/': ['^src/trial-parts/', '^src/domain/', '^src/http/'],
  // The command-line client knows the service by its contract only.
  '^cli/client/': ['^cli/client/'],
  '^cli/(?!client/|build\\.mjs$)': ['^cli/', '^package\\.json$'],
  // The web page knows the service by its contract only.
  '^page/(?!build\\.ts$|test/)': ['^page/'],
  '^src/config/': ['^src/config/', '^src/domain/', '^src/database/connection-url\\.ts$'],
  // Programs and their composition: everything but what does not ship.
  '^src/processes/': ['^(src|workflows|activities)/', '^package\\.json$'],
  // Generator and oracle of the tests of reading: they share nothing with what is tested.
  '^tools/package-generator/': ['^tools/package-generator/'],
  '^test/support/generator-oracle\\.ts$': ['^tools/package-generator/'],
};

/** Folders that each folder may import as types besides. */
const TYPES = {
  '^workflows/': ['^activities/'],
  '^activities/': ['^src/(archive|products|database|regulator|notifications|temporal)/'],
  '^src/regulator/': ['^src/database/'],
  '^src/temporal/': ['^src/database/'],
  '^src/gateway/': ['^src/(archive|database|regulator|temporal)/'],
  '^src/observability/': ['^src/(notifications|regulator|temporal)/', '^workflows/'],
  '^test/support/generator-oracle\\.ts$': ['^src/domain/product\\.ts$'],
};

/** Every folder may import pure helpers, and of the contract the constants and types, which do not load zod. */
const FOR_ALL = ['^src/common/', '^src/contract/[^/]+\\.ts$'];

const ours = '^(src|cli|page|workflows|activities|tools|test|bench)/';
const config = '^src/config/';
/** Each runs when it is imported. */
const programs = ['^src/processes/[^/]+\\.ts$', '^cli/package-import\\.ts$'];

const directions = Object.entries(CODE).flatMap(([folder, allowed]) => [
  {
    name: `types of ${folder}`,
    severity: 'error',
    from: { path: folder },
    to: { path: ours, pathNot: [...FOR_ALL, ...allowed, ...(TYPES[folder] ?? [])] },
  },
  {
    name: `code of ${folder}`,
    severity: 'error',
    from: { path: folder },
    to: { path: ours, pathNot: [...FOR_ALL, ...allowed], dependencyTypesNot: ['type-only'] },
  },
]);

export default {
  forbidden: [
    ...directions,
    {
      name: 'nobody imports a program',
      severity: 'error',
      from: {},
      to: { path: programs },
    },
    {
      name: 'nobody imports the page',
      severity: 'error',
      from: { pathNot: '^page/' },
      to: { path: '^page/' },
    },
    {
      name: 'only programs compose processes',
      severity: 'error',
      from: { pathNot: ['^src/processes/', '^tools/', '^test/', '^bench/', '^page/build\\.ts$'] },
      to: { path: '^src/processes/' },
    },
    {
      name: 'configuration is for processes',
      severity: 'error',
      from: {
        pathNot: ['^src/processes/', '^tools/', '^test/', '^bench/', '^page/build\\.ts$', config],
      },
      to: { path: config },
    },
    {
      name: 'tools are not the service',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/' },
      to: { path: '^(cli|page|tools|test|bench)/' },
    },
    {
      name: 'constants of the contract load no schemas',
      severity: 'error',
      from: { path: '^src/contract/[^/]+\\.ts$' },
      to: { path: ['^src/contract/schemas/', 'node_modules'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'no circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'nothing unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'workflows are deterministic',
      severity: 'error',
      from: { path: '^(workflows|src/common|src/domain)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'workflows use the workflow SDK only',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { dependencyTypes: ['npm'], pathNot: ['@temporalio/(workflow|common)'] },
    },
    {
      name: 'development dependencies stay out of the product',
      severity: 'error',
      // The servers that `npm start` embeds come with libraries of their own.
      from: { path: '^(src|workflows|activities)/', pathNot: '^src/trial-parts/servers/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'what the image runs embeds no servers',
      severity: 'error',
      from: { path: '^src/processes/(gateway|worker|migrate|regulator-simulator|identity-service)\\.ts$' },
      to: { path: '^src/trial-parts/servers/', reachable: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
