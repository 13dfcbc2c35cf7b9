/**
 * Keeps webhooks from leading into the network that the server stands in. Asked three times: when a webhook is set
 * (`findProblem`, with DNS), before each attempt (`findProblemIn`, without), and by the connecting socket itself
 * (`lookup`), so that a name which led outside when it was set cannot lead inside when it is used.
 *
 * What must hold: `lookup` resolves a name once and connects to what was checked; a single address that is not allowed
 * refuses the name. Sockets never ask `lookup` about literal addresses: `findProblemIn` sees to these.
 */
import ipaddr from 'ipaddr.js'
import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { allowsAddress, allowsHost } from '../config/schema/allow-list.ts'
import type { Settings } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import { createResolve, type Resolve } from './resolve-host.ts'

export type AddressRules = Pick<Settings, 'webhookRequireHttps' | 'webhookAllowList'>

export interface AddressGuardOptions {
  /** Read at each question: they may change while the server runs. */
  readonly rules: () => AddressRules
  /** Default: DNS, then the hosts file. */
  readonly resolve?: Resolve
}

const MAX_URL_LENGTH = 2000
const PORTS: ReadonlySet<string> = new Set(['', '80', '443', '8080', '8443'])

export class AddressGuard {
  readonly #rules: () => AddressRules
  readonly #resolve: Resolve

  constructor({ rules, resolve = createResolve() }: AddressGuardOptions) {
    this.#rules = rules
    this.#resolve = resolve
  }

  /** What is wrong with `url` as a webhook, or null. Never rejects. */
  async findProblem(url: string): Promise<string | null> {
    const problem = this.findProblemIn(url)
    if (problem !== null) return problem
    const host = hostOf(new URL(url))
    if (isIP(host) !== 0) return null
    try {
      await this.#resolveAllowed(host)
      return null
    } catch (error) {
      // Where a name leads inside is nothing for who sets a webhook.
      return error instanceof InsideError ? refusalOf(host, `"${host}"`) : messageOf(error)
    }
  }

  /** What can be checked without DNS. */
  findProblemIn(url: string): string | null {
    if (url.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long, not ${url.length}`
    const parsed = URL.canParse(url) ? new URL(url) : null
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      return 'must be an address that begins with "https://" or "http://"'
    const { webhookRequireHttps, webhookAllowList } = this.#rules()
    if (webhookRequireHttps && parsed.protocol !== 'https:') return 'must begin with "https://"'
    if (parsed.username !== '' || parsed.password !== '')
      return 'must not contain a user name or password; posts are signed instead'
    const host = hostOf(parsed)
    const address = isIP(host) === 0 ? null : ipaddr.process(host)
    const isListed = address === null ? allowsHost(webhookAllowList, host) : allowsAddress(webhookAllowList, address)
    if (isListed) return null
    if (!PORTS.has(parsed.port)) return `must have port 80, 443, 8080 or 8443, ${orList(host)}`
    return address === null || isPublicAddress(address) ? null : refusalOf(host, host)
  }

  /** For the options of a connection: resolves the name, and fails unless all its addresses are allowed. */
  readonly lookup: LookupFunction = (host, options, callback) => void this.#answer(host, options, callback)

  async #answer(host: string, options: LookupOptions, callback: Parameters<LookupFunction>[2]): Promise<void> {
    const found = await this.#resolveAllowed(hostOfName(host)).catch((error: unknown) => toError(error))
    if (found instanceof Error) return callback(found, '')
    const fitting = found.filter(({ family }) => !options.family || family === options.family)
    const [first] = fitting
    if (first === undefined) return callback(new Error(`"${host}" has no address of the wanted kind`), '')
    return options.all === true ? callback(null, fitting) : callback(null, first.address, first.family)
  }

  async #resolveAllowed(host: string): Promise<readonly LookupAddress[]> {
    const addresses = await this.#resolve(host).catch((error: unknown) => {
      throw new Error(`leads nowhere: "${host}" cannot be resolved (${messageOf(error)})`, { cause: error })
    })
    if (addresses.length === 0) throw new Error(`leads nowhere: "${host}" has no address`)
    const { webhookAllowList } = this.#rules()
    if (allowsHost(webhookAllowList, host)) return addresses
    for (const { address } of addresses) {
      const parsed = ipaddr.process(address)
      if (!isPublicAddress(parsed) && !allowsAddress(webhookAllowList, parsed))
        throw new InsideError(refusalOf(host, address))
    }
    return addresses
  }
}

/** A name leads to an address that is not allowed. */
class InsideError extends Error {}

function refusalOf(host: string, address: string): string {
  return `must not lead to ${address}, which is not on the public internet, ${orList(host)}`
}

function orList(host: string): string {
  return `unless an admin puts "${host}" into webhook_allow_list`
}

/** Without the brackets of IPv6 and without a final dot. */
function hostOf(url: URL): string {
  return hostOfName(url.hostname.replace(/^\[(.*)\]$/, '$1'))
}

function hostOfName(host: string): string {
  return host.replace(/\.$/, '')
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error))
}

/**
 * All that is routed on the public internet today (https://www.iana.org/assignments/ipv6-unicast-address-assignments).
 */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Azure's host services (metadata, agent): the one such address that is publicly routable. */
const AZURE_WIRE_SERVER = '168.63.129.16'

/**
 * Whether it is on the public internet. Anything else (loopback, private, link-local, metadata services, and the IPv6
 * spellings that lead to IPv4 addresses) a webhook must not reach: a caller that sets one could read what is behind it.
 */
function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv6 ? address.match(PUBLIC_IPV6) : address.toString() !== AZURE_WIRE_SERVER
}
