/**
 * The address under which people and other programs reach this server, for links: the setting `public_url`, or else the
 * address it listens on. `app.ts` makes the one object; the door says where it listens before anything runs.
 */
import type { LiveConfig } from './config.ts'

/** Addresses that mean "every one of this machine's" lead nowhere. */
const EVERYWHERE = /^(http:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/

export class PublicUrl {
  readonly #config: Pick<LiveConfig, 'current'>
  #listening = ''

  constructor(config: Pick<LiveConfig, 'current'>) {
    this.#config = config
  }

  /** `url` is such as "http://127.0.0.1:4000". */
  listensAt(url: string): void {
    this.#listening = url.replace(EVERYWHERE, '$1localhost')
  }

  /** The link to what the server has at `path`, which begins with "/". */
  linkTo(path: string): string {
    return `${this.#config.current().settings.publicUrl ?? this.#listening}${path}`
  }
}
