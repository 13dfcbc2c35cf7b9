/** How much of something that is bounded each holder has: a user by all their tokens, or a token of no user. */
import type { Viewer } from '../../core/identity.ts'

/** A connector acts for many people. */
const OF_A_CONNECTOR = 5

export class Holdings {
  readonly #amounts = new Map<string, number>()
  #count = 0

  /** Until what is returned is called, which is repeatable. */
  take(viewer: Viewer, amount = 1): () => void {
    const holder = holderOf(viewer)
    this.#add(holder, amount)
    this.#count++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#add(holder, -amount)
      this.#count--
    }
  }

  of(viewer: Viewer): number {
    return this.#amounts.get(holderOf(viewer)) ?? 0
  }

  /** How many holdings there are of all together. */
  get count(): number {
    return this.#count
  }

  #add(holder: string, amount: number): void {
    const left = (this.#amounts.get(holder) ?? 0) + amount
    // What is left of sums of tenths is nothing.
    if (left < 0.01) this.#amounts.delete(holder)
    else this.#amounts.set(holder, left)
  }
}

/** What the viewer may hold, where a user may hold `limit`. */
export function limitOf({ tokenKind }: Viewer, limit: number): number {
  return tokenKind === 'CONNECTOR' ? limit * OF_A_CONNECTOR : limit
}

function holderOf({ user, tokenName }: Viewer): string {
  return user === null ? `token ${tokenName}` : `user ${user.name}`
}
