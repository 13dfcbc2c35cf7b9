/**
 * Which addresses are on the public internet. Everything else (loopback, private, link-local, metadata services, and
 * the IPv6 spellings that lead to IPv4 addresses) a webhook must not reach: a caller that sets one could read what is
 * behind it.
 */
import ipaddr from 'ipaddr.js'

/**
 * All that is routed on the public internet today (https://www.iana.org/assignments/ipv6-unicast-address-assignments).
 */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Azure's host services (metadata, agent): the one such address that is publicly routable. */
const AZURE_WIRE_SERVER = '168.63.129.16'

export function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv6 ? address.match(PUBLIC_IPV6) : address.toString() !== AZURE_WIRE_SERVER
}
