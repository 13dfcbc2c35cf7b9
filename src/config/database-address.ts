/**
 * `DATABASE_URL` may name several hosts, as libpq has it: `postgres://user:password@a:5432,b:5432/factotum`. pg knows
 * one host per address, so everything that reads the address takes it apart here first.
 */

/** What stands before the hosts, the hosts, what stands behind them. */
const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]+)(.*)$/s
/** libpq's words for "only one that takes writes", which is what a server always needs. */
const WRITES: ReadonlySet<string> = new Set(['read-write', 'primary'])

/** One address for each host, in their order; the address itself when it names one, or none that can be read. */
export function hostAddresses(address: string): readonly [string, ...string[]] {
  const [, before = '', hosts = '', behind = ''] = ADDRESS.exec(address) ?? []
  const [first, ...others] = hosts.split(',').map((host) => `${before}${host}${behind}`)
  return first === undefined || others.length === 0 ? [address] : [first, ...others]
}

/** Whether all hosts of it can be read, and nothing else is asked for than one that takes writes. */
export function isDatabaseAddress(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address) && hostAddresses(address).every(isAddressOfOne)
}

function isAddressOfOne(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { username, password, searchParams } = new URL(address)
  if (![username, password].every(isEncoded)) return false
  const wanted = searchParams.get('target_session_attrs')
  return wanted === null || WRITES.has(wanted)
}

/** Whether every "%" begins the code of a character: pg reads no other. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
