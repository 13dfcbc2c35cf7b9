/**
 * Who may post now: so many at a time in all, so many to one host, and one at a time to an address that did not answer
 * last time. Those who wait are let in in order of arrival, past those whose host is full: receivers that hang fill
 * their own places, and hold up no post to another host.
 */
export interface HostGateLimits {
  readonly total: number
  readonly perHost: number
}

/** Gives the place back. `silent`: the receiver did not answer in time. */
export type Leave = (how: { readonly silent: boolean }) => void

interface Place {
  readonly url: string
  readonly host: string
}

interface Waiting extends Place {
  readonly enter: (leave: Leave) => void
}

/** Addresses of which is remembered that they do not answer; beyond this the oldest is forgotten. */
const MAX_SILENT = 1000

export class HostGate {
  readonly #limits: HostGateLimits
  readonly #inHost = new Map<string, number>()
  readonly #atUrl = new Map<string, number>()
  readonly #silent = new Set<string>()
  readonly #waiting = new Set<Waiting>()
  #total = 0

  constructor(limits: HostGateLimits) {
    this.#limits = limits
  }

  /** Resolves when a post to `url` may begin; null when `signal` aborts before. */
  enter(url: string, signal: AbortSignal): Promise<Leave | null> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(null)
      const place = { url, host: hostOf(url) }
      // Of those who wait none can enter, or they would have: asking thousands of them again would be in vain.
      if (this.#total < this.#limits.total && this.#isFree(place)) return resolve(this.#take(place))
      const giveUp = (): void => {
        this.#waiting.delete(waiting)
        resolve(null)
      }
      const enter = (leave: Leave): void => {
        signal.removeEventListener('abort', giveUp)
        resolve(leave)
      }
      const waiting: Waiting = { ...place, enter }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(waiting)
    })
  }

  /** `host`: the only one at which a place may have come free; null: any. */
  #admit(host: string | null): void {
    for (const waiting of this.#waiting) {
      if (this.#total >= this.#limits.total || (host !== null && this.#isFull(host))) return
      if (!this.#isFree(waiting)) continue
      this.#waiting.delete(waiting)
      waiting.enter(this.#take(waiting))
    }
  }

  #isFree({ url, host }: Place): boolean {
    return !this.#isFull(host) && !(this.#silent.has(url) && this.#atUrl.has(url))
  }

  #isFull(host: string): boolean {
    return (this.#inHost.get(host) ?? 0) >= this.#limits.perHost
  }

  #take({ url, host }: Place): Leave {
    this.#total += 1
    add(this.#inHost, host, 1)
    add(this.#atUrl, url, 1)
    return ({ silent }) => {
      const wasFull = this.#total >= this.#limits.total
      this.#total -= 1
      add(this.#inHost, host, -1)
      add(this.#atUrl, url, -1)
      this.#silent.delete(url)
      if (silent) this.#silent.add(url)
      for (const oldest of this.#silent) if (this.#silent.size > MAX_SILENT) this.#silent.delete(oldest)
      this.#admit(wasFull ? null : host)
    }
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
