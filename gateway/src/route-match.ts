import type { GatewayRoute } from './route-table.ts';

/** What a method and a path lead to. */
export type Match =
  | { kind: 'route'; route: GatewayRoute }
  /** The path exists with its trailing slash the other way round. */
  | { kind: 'redirect'; path: string }
  /** The path exists, the method does not. */
  | { kind: 'method'; allowed: readonly string[] }
  | { kind: 'none' };

interface Node {
  literals: Map<string, Node>;
  parameter: Node | undefined;
  routes: Map<string, GatewayRoute>;
}

export interface Matcher {
  match(method: string, path: string): Match;
  /** Methods of a path, sorted; empty when there is no such path. */
  methodsOf(path: string): string[];
}

const newNode = (): Node => ({ literals: new Map(), parameter: undefined, routes: new Map() });

/**
 * A tree over path segments. Literal segments win over parameters; a parameter never takes an empty segment, so that
 * `/things/` is the collection and not a thing without a name. HEAD is served by GET.
 */
export function matcher(table: readonly GatewayRoute[]): Matcher {
  const root = newNode();
  for (const route of table) insert(root, route);

  function find(method: string, path: string): GatewayRoute | undefined {
    return findIn(root, segmentsOf(path), 0, method === 'HEAD' ? 'GET' : method);
  }
  const methodsOf = (path: string): string[] => {
    const methods = new Set<string>();
    collectMethods(root, segmentsOf(path), 0, methods);
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  };

  return {
    methodsOf,
    match(method, path) {
      const route = find(method, path);
      if (route) return { kind: 'route', route };
      const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
      if (find(method, other)) return { kind: 'redirect', path: other };
      const allowed = [...new Set([...methodsOf(path), ...methodsOf(other)])].sort();
      return allowed.length > 0 ? { kind: 'method', allowed } : { kind: 'none' };
    },
  };
}

/** Longer paths than any route's are cut: what is left over can match nothing. */
const MAX_SEGMENTS = 32;

const segmentsOf = (path: string): string[] => path.split('/', MAX_SEGMENTS).slice(1);

function insert(root: Node, route: GatewayRoute): void {
  let node = root;
  for (const segment of segmentsOf(route.path)) node = childFor(node, segment);
  if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
  node.routes.set(route.method, route);
}

function childFor(node: Node, segment: string): Node {
  if (segment.startsWith('{')) {
    node.parameter ??= newNode();
    return node.parameter;
  }
  const known = node.literals.get(segment);
  if (known) return known;
  const child = newNode();
  node.literals.set(segment, child);
  return child;
}

function findIn(node: Node, segments: string[], index: number, method: string): GatewayRoute | undefined {
  if (index === segments.length) return node.routes.get(method);
  const segment = segments[index]!;
  const literal = node.literals.get(segment);
  const found = literal && findIn(literal, segments, index + 1, method);
  if (found || segment === '' || !node.parameter) return found;
  return findIn(node.parameter, segments, index + 1, method);
}

function collectMethods(node: Node, segments: string[], index: number, methods: Set<string>): void {
  if (index === segments.length) {
    for (const method of node.routes.keys()) methods.add(method);
    return;
  }
  const segment = segments[index]!;
  const literal = node.literals.get(segment);
  if (literal) collectMethods(literal, segments, index + 1, methods);
  if (segment !== '' && node.parameter) collectMethods(node.parameter, segments, index + 1, methods);
}
