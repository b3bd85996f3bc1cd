import { describe, expect, it } from 'vitest';
import { hostCheck } from './hosts.js';

describe('the check of the Host header', () => {
  it.each([
    'localhost',
    'LOCALHOST:8080',
    'localhost.:80',
    'koine.localhost',
    'workstation:8080',
    'host.docker.internal:1337',
    '127.0.0.1:8080',
    '127.8.9.1',
    '0.0.0.0:1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255:80',
    '192.168.1.20:1337',
    '[::1]:8080',
    '[fd12::1]',
    '[fe80::1]:1',
    // No browser leaves it out.
    undefined,
  ])('takes %s', (host) => {
    expect(hostCheck('127.0.0.1', [])(host)).toBe(true);
  });

  it.each([
    '',
    'evil.com',
    'evil.com:8080',
    'localhost.evil.com',
    'evil.com.',
    'a:b',
    '127.0.0.1.evil.com',
    '192.168.1.1.nip.io',
    'localhost@evil.com',
    'evil.com#localhost',
    '172.32.0.1',
    '11.0.0.1',
    '8.8.8.8:80',
    '0x7f.0.0.1',
    '127.1',
    '[2001:db8::1]',
    '[::1].evil.com',
  ])('refuses %s', (host) => {
    expect(hostCheck('127.0.0.1', [])(host)).toBe(false);
  });

  it('takes names that were given, at any port, and no others', () => {
    const check = hostCheck('0.0.0.0', ['Models.example.com', '203.0.113.7:80']);
    expect(['models.example.com:443', 'MODELS.EXAMPLE.COM', '203.0.113.7', '10.0.0.1'].map(check)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['example.com', 'a.models.example.com', '203.0.113.8'].map(check)).toEqual([false, false, false]);
  });

  it('takes everything where that was asked for', () => {
    expect([undefined, 'evil.com'].map(hostCheck('127.0.0.1', ['*']))).toEqual([true, true]);
  });

  it('is made of its own accord where only this machine can ask', () => {
    const takes = (address: string) => hostCheck(address, [])('evil.com');
    expect(['127.0.0.1', '127.0.0.2', 'localhost', '::1'].map(takes)).toEqual([false, false, false, false]);
    expect(['0.0.0.0', '::', '192.168.1.2', '127.evil.com', 'box'].map(takes)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(hostCheck('box', ['other'])('box:8080')).toBe(true);
  });
});
