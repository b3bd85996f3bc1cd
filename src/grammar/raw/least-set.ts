// Properties that spread from rule to rule (may be empty, has a text): the smallest set of rules for which they hold.

import type { GrammarNode } from './parse.js';

/** Names of the rules `holds` says yes to, given those found so far. Each rule is asked again only for a reason. */
export function leastSet(
  rules: ReadonlyMap<string, GrammarNode>,
  holds: (node: GrammarNode, found: ReadonlySet<string>) => boolean,
): Set<string> {
  const users = new Map<string, Set<string>>();
  for (const [name, node] of rules) {
    for (const used of namesIn(node)) users.set(used, (users.get(used) ?? new Set()).add(name));
  }
  const found = new Set<string>();
  const open = [...rules.keys()];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const node = rules.get(name);
    if (node === undefined || found.has(name) || !holds(node, found)) continue;
    found.add(name);
    open.push(...(users.get(name) ?? []));
  }
  return found;
}

function namesIn(node: GrammarNode): readonly string[] {
  switch (node.kind) {
    case 'text':
    case 'set':
      return [];
    case 'rule':
      return [node.name];
    case 'repeat':
      return namesIn(node.item);
    case 'sequence':
    case 'choice':
      return node.items.flatMap(namesIn);
  }
}
