/**
 * Programs that one instance of a plugin has started in the sandbox. What must hold: they end with it; what they print
 * is read only when the plugin asks for it, so one that floods stands still.
 */
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { ConfinedProgram, ConfinedPrograms } from '../../execution/sandbox/confined-programs.ts'
import type { Json } from '../../plugin-api/hook-inputs.ts'
import type { ServerRequest } from '../../plugin-api/messages.ts'
import type { ProgramRequest } from '../../plugin-api/program.ts'

/** Where, and by what they are started. */
export interface ProgramMeans {
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly programs: Pick<ConfinedPrograms, 'start'>
}

/** Served here, and not by the database. */
export function isAboutProgram(request: ServerRequest): request is ProgramRequest {
  return request.what.startsWith('PROGRAM_')
}

const MAX_PROGRAMS = 16
/** Whose last output can still be read; beyond, those that ended first are forgotten. */
const MAX_ENDED = 64
const MAX_LAST_WORDS = 1000

/** Until the plugin ends it or has read all of it. */
interface Running {
  readonly program: ConfinedProgram
  readonly output: AsyncIterator<unknown>
  readonly decoder: TextDecoder
  lastWords: string
  hasEnded: boolean
}

/** One for each instance of a plugin. */
export class PluginPrograms {
  readonly #means: ProgramMeans
  readonly #plugin: string
  readonly #running = new Map<number, Running>()
  #lastId = 0
  #starting = 0
  #isOver = false

  constructor(plugin: string, means: ProgramMeans) {
    this.#plugin = plugin
    this.#means = means
  }

  /** Rejects with an Error for the plugin. */
  async serve(request: ProgramRequest): Promise<Json> {
    switch (request.what) {
      case 'PROGRAM_START':
        return this.#start(request)
      case 'PROGRAM_WRITE':
        return this.#write(this.#of(request.program), request.text)
      case 'PROGRAM_READ':
        return this.#read(request.program)
      case 'PROGRAM_END':
        this.#running.get(request.program)?.program.kill()
        this.#running.delete(request.program)
        return null
    }
  }

  /** All end; none is started any more. */
  end(): void {
    this.#isOver = true
    for (const { program } of this.#running.values()) program.kill()
    this.#running.clear()
  }

  async #start(request: Extract<ProgramRequest, { what: 'PROGRAM_START' }>): Promise<number> {
    const { command, args, environment, network: hasNetwork } = request
    const ended = [...this.#running].flatMap(([id, { hasEnded }]) => (hasEnded ? id : []))
    if (this.#running.size - ended.length + this.#starting >= MAX_PROGRAMS)
      throw new Error(`a plugin may run ${MAX_PROGRAMS} programs, no more`)
    for (const id of ended.slice(0, -MAX_ENDED)) this.#running.delete(id)
    this.#starting += 1
    const folder = join(this.#means.home, 'programs', this.#plugin)
    const program = await this.#means.programs
      .start({ folder, command, args, environment, hasNetwork })
      .finally(() => (this.#starting -= 1))
    if (this.#isOver) program.kill()
    const output = program.stdout[Symbol.asyncIterator]() as AsyncIterator<unknown>
    const running: Running = { program, output, decoder: new TextDecoder(), lastWords: '', hasEnded: false }
    program.stderr.on('data', (chunk: Buffer) => {
      running.lastWords = `${running.lastWords}${chunk.toString()}`.slice(-MAX_LAST_WORDS)
    })
    void program.ended.then(() => (running.hasEnded = true))
    this.#lastId += 1
    this.#running.set(this.#lastId, running)
    return this.#lastId
  }

  #of(id: number): Running {
    const running = this.#running.get(id)
    if (running === undefined) throw new Error('this program has ended')
    return running
  }

  async #write({ program: { stdin, ended } }: Running, text: string): Promise<null> {
    if (stdin.destroyed) throw new Error('this program has ended')
    if (stdin.write(text)) return null
    await Promise.race([new Promise((resolve) => stdin.once('drain', resolve)), ended])
    return null
  }

  async #read(id: number): Promise<string> {
    const running = this.#of(id)
    try {
      const { value, done } = await running.output.next()
      if (done !== true) return running.decoder.decode(value as Buffer, { stream: true })
    } catch (error) {
      throw new Error(`the program broke off (${messageOf(error)})`, { cause: error })
    }
    const how = await running.program.ended
    this.#running.delete(id)
    const words = running.lastWords.trim()
    throw new Error(`the program ${how}${words === '' ? '' : `: ${words}`}`)
  }
}
