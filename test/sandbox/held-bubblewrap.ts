/**
 * A program in the place of bubblewrap that tells a test when one of the launches begins, and holds it still for as
 * long as the test likes.
 */
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** It may run as another account, so it makes no files of its own. */
const SCRIPT = `#!/bin/bash
here=\${0%/*}
watched=$(<"$here/watched")
if [[ -n $watched && "$*" == *"$watched"* ]]; then
  echo begun >>"$here/seen"
  while [[ -e $here/hold ]]; do sleep 0.005; done
fi
exec /usr/bin/bwrap "$@"
`

export class HeldBubblewrap {
  readonly path: string
  readonly #folder: string

  /** In a folder that every account can enter. */
  constructor(folder: string) {
    this.#folder = folder
    this.path = this.#write('bwrap', SCRIPT, 0o755)
    this.#write('watched', '', 0o644)
    this.#write('seen', '', 0o666)
  }

  /** Launches with this word in their arguments count from now on. */
  watch(word: string): void {
    this.#write('watched', word, 0o644)
  }

  /** As `watch`; they stand still before bubblewrap has done anything, until `release`. */
  hold(word: string): void {
    this.#write('hold', '', 0o644)
    this.watch(word)
  }

  release(): void {
    rmSync(join(this.#folder, 'hold'))
  }

  /**
   * Resolves when such a launch has begun, without delay, and what was asked for before is on its way; rejects when
   * none begins.
   */
  async seen(): Promise<void> {
    const deadlineMs = performance.now() + 15_000
    do {
      if (performance.now() > deadlineMs) throw new Error('no such launch has begun')
      await setImmediate()
    } while (statSync(join(this.#folder, 'seen')).size === 0)
  }

  #write(name: string, text: string, mode: number): string {
    const path = join(this.#folder, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
}
