/** A source of tools that admins switch on and off while the server runs. */
import type { Tool, ToolOrigin, ToolSource } from './tool.ts'

/** On at first. */
export class SwitchedSource implements ToolSource {
  readonly name: string
  readonly origin: ToolOrigin
  readonly #source: ToolSource
  #isOn = true

  constructor(source: ToolSource) {
    this.name = source.name
    this.origin = source.origin
    this.#source = source
  }

  /** For turns that begin from now on. */
  turn(isOn: boolean): void {
    this.#isOn = isOn
  }

  /** None while it is off. */
  tools(): readonly Tool[] {
    return this.#isOn ? this.#source.tools() : []
  }

  /** That it is off, or the source's own. */
  problem(): string | null {
    return this.#isOn ? this.#source.problem() : `An admin has disabled the plugin ${this.name}.`
  }
}
