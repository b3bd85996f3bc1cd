// Which names a request may be addressed to. A page whose name an attacker points at this machine (DNS rebinding)
// gets past the browser's rule of origins, but it cannot hide its name from the Host header. Pure.

import { BlockList, isIP } from 'node:net';

/** Whether a Host header is taken. */
export type HostCheck = (header: string | undefined) => boolean;

/** What containers call the machine they run on. */
const DOCKER_HOST = 'host.docker.internal';

/**
 * Takes names without a dot (`localhost`, a container, a machine of the network: nobody can register such a name in the
 * internet), loopback and private addresses, the listener's own address, and the names that were given; the port does
 * not matter. `*` among the names takes everything, and so does naming none, unless the listener is on a loopback
 * address: by which names that is reached is known, but any other address may have names anywhere.
 */
export function hostCheck(address: string, trusted: readonly string[]): HostCheck {
  if (trusted.includes('*') || (trusted.length === 0 && !isLoopback(address))) return () => true;
  const names = new Set([DOCKER_HOST, ...[address, ...trusted].map(nameOf)]);
  const nearby = nearbyAddresses();
  return (header) => {
    // A browser always says where it thinks it is; who says nothing is none.
    if (header === undefined) return true;
    const name = nameOf(header);
    const version = isIP(name);
    if (names.has(name) || name.endsWith('.localhost')) return true;
    if (version !== 0) return nearby.check(name, version === 6 ? 'ipv6' : 'ipv4');
    return /^[\w-]+$/.test(name);
  };
}

/** Whether only programs on this machine reach a listener at this address, or serve a page from it. */
export function isLoopback(host: string): boolean {
  const name = nameOf(host);
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** `Name.:80` -> `name`, `[::1]:80` -> `::1`. */
function nameOf(host: string): string {
  const bracketed = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  const name = isIP(host) === 6 ? host : host.replace(/:\d*$/, '');
  return name.replace(/\.$/, '').toLowerCase();
}

/** Loopback, "this host" and the ranges that are not routed in the internet. */
function nearbyAddresses(): BlockList {
  const list = new BlockList();
  list.addAddress('0.0.0.0');
  list.addSubnet('127.0.0.0', 8);
  list.addSubnet('10.0.0.0', 8);
  list.addSubnet('172.16.0.0', 12);
  list.addSubnet('192.168.0.0', 16);
  list.addSubnet('169.254.0.0', 16);
  list.addAddress('::', 'ipv6');
  list.addAddress('::1', 'ipv6');
  list.addSubnet('fc00::', 7, 'ipv6');
  list.addSubnet('fe80::', 10, 'ipv6');
  return list;
}
