/**
 * The addresses of a host. DNS is asked over the network first, without the system's resolver: that one blocks a thread
 * for as long as a name server is silent, and there are four for all of Node's file access and name lookups, so that a
 * few webhooks of a name whose server never answers would hold up everything. What DNS does not know may stand in the
 * hosts file.
 */
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'

/** The addresses of a name. Rejects when it has none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

const ASK = { timeout: 2000, tries: 2 }

export function createResolve(): Resolve {
  const resolver = new Resolver(ASK)
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)]
    if (found.length > 0) return found
    if (isSilent(four) || isSilent(six)) throw new Error('its name server does not answer')
    return lookup(host, { all: true })
  }
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
}

function isSilent(answer: PromiseSettledResult<string[]>): boolean {
  return answer.status === 'rejected' && (answer.reason as { code?: unknown }).code === 'ETIMEOUT'
}
