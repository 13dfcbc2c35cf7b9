/**
 * The entries of `webhook_allow_list`: what they may be, and what they allow. Used when the file is checked and at each
 * post.
 */
import ipaddr from 'ipaddr.js'

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/

/** A host's name, an address, or a range of addresses ("10.1.0.0/16"). */
export function isAllowListEntry(text: string): boolean {
  return rangeOf(text) !== null || (HOST.test(hostName(text)) && !/^[\d.]+$/.test(text))
}

/** Host names are compared whole; in lower case and without the final dot they are the same. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

export function allowsHost(list: readonly string[], host: string): boolean {
  return list.some((entry) => rangeOf(entry) === null && hostName(entry) === hostName(host))
}

export function allowsAddress(list: readonly string[], address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return list.some((entry) => {
    const range = rangeOf(entry)
    return range !== null && range[0].kind() === address.kind() && address.match(range[0], range[1])
  })
}

function rangeOf(entry: string): Range | null {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  if (!isAddress(entry)) return null
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** ipaddr.js also takes spellings such as "1" and "0x7f.1", which here could be the names of hosts. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
}
