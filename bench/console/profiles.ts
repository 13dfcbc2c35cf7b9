/** CPU profiles of the page, for whom a figure is not enough; into a folder, or nowhere. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tab } from './tab.ts'

export class Profiles {
  readonly #folder: string | null

  constructor(folder: string | null) {
    this.#folder = folder
  }

  /** What it returns ends the profile and writes it. */
  async begin(tab: Tab, name: string): Promise<() => Promise<void>> {
    const folder = this.#folder
    if (folder === null) return () => Promise.resolve()
    await mkdir(folder, { recursive: true })
    const stop = await tab.startProfile()
    return async () => {
      await writeFile(join(folder, `${name.replaceAll(/\W/g, '-')}.cpuprofile`), JSON.stringify(await stop()))
    }
  }
}
