/**
 * `factotum chat`: a session at a terminal. A person types messages and decides about approvals while everything that
 * happens is shown; a dropped connection is picked up behind the last event. In a pipe, each line is a message, and the
 * next one waits until it is answered.
 */
import { createInterface, type Interface } from 'node:readline'
import type { FactotumClient, SessionClient } from '../../../packages/client/src/connect.ts'
import {
  TerminalCancelTurnDocument,
  TerminalChatStartDocument,
  TerminalMeDocument,
  TerminalOpenSessionDocument,
} from '../../generated/remote/graphql.ts'
import { sendDecision } from '../approve.ts'
import { readEnd } from '../asked-end.ts'
import { EXIT, refusalOf, RefusedError, type ExitCode } from '../outcome.ts'
import { readPending } from '../pending-approvals.ts'
import type { Terminal } from '../terminal.ts'
import { ChatView, type Approval } from './chat-view.ts'
import { LiveScreen } from './live-screen.ts'
import { PlainScreen } from './plain-screen.ts'

const HISTORY = 20
const HELP = `/stop cancels the turn, /quit (or Ctrl-D) leaves; Ctrl-C does the first, and when nothing runs the second.
Everything else is sent. An approval is answered with y, s (also for what is alike in this session) or n, and a reason behind it.`

/** Resolves when the person leaves or the input ends; what was sent goes on without them. */
export async function chat(client: FactotumClient, terminal: Terminal, sessionId: string | null): Promise<ExitCode> {
  const id = sessionId ?? `${(await client.read(TerminalMeDocument, {})).viewer.ownNamespace}:terminal`
  const lines = createInterface({
    input: terminal.input,
    ...(terminal.isInteractive && { output: terminal.output, terminal: true }),
    historySize: 200,
  })
  const screen = terminal.isInteractive ? new LiveScreen(terminal.output, lines) : new PlainScreen(terminal.output)
  const running = new Chat(client, { id, view: new ChatView(screen), isInteractive: terminal.isInteractive })
  // From now on, also what is typed before anybody asks for it.
  const typed = lines[Symbol.asyncIterator]()
  try {
    const version = await running.begin()
    await Promise.race([
      running.follow(version),
      terminal.isInteractive ? running.converse(typed, lines) : running.sendAll(typed),
    ])
    return running.exitCode
  } finally {
    lines.close()
    running.end()
  }
}

interface ChatOptions {
  readonly id: string
  readonly view: ChatView
  readonly isInteractive: boolean
}

class Chat {
  readonly #client: FactotumClient
  readonly #session: SessionClient
  readonly #view: ChatView
  readonly #ended = new AbortController()
  readonly #isInteractive: boolean
  /** What is sent just now: until it is known by its id, its event would show it a second time. */
  #sending: Promise<unknown> = Promise.resolve()
  /** Resolved anew with each event. */
  #happened: () => void = () => {}
  /** Once failed it stays failed, whatever comes after it. */
  exitCode: ExitCode = EXIT.done

  constructor(client: FactotumClient, { id, view, isInteractive }: ChatOptions) {
    this.#client = client
    this.#session = client.session(id)
    this.#view = view
    this.#isInteractive = isInteractive
  }

  /** Shows what was said, and returns from where to follow. Opens the session where there is none. */
  async begin(): Promise<number> {
    const { id } = this.#session
    let { session } = await this.#client.read(TerminalChatStartDocument, { id, last: HISTORY })
    if (session === null || session === undefined) {
      const { openSession } = await this.#client.run(TerminalOpenSessionDocument, { input: { id } })
      const refusal = refusalOf(openSession)
      if (refusal !== null) throw new RefusedError(refusal)
      session = (await this.#client.read(TerminalChatStartDocument, { id, last: HISTORY })).session
    }
    if (session === null || session === undefined)
      throw new RefusedError(`There is no session "${id}" that you may see.`)
    const { view, conversation } = session
    if (this.#isInteractive) {
      this.#view.showNotice(`${id} · /help`)
      for (const { node } of conversation.edges) {
        if (node.seq > view.version) continue
        if (node.__typename === 'AgentText') this.#view.showSaid(null, node.content)
        else if (node.__typename === 'Notice') this.#view.showNotice(node.content)
        else this.#view.showSaid(node.author.name ?? 'somebody', node.content)
      }
    }
    this.#view.begin(view.activeTurn !== null)
    await this.#showPending()
    return view.version
  }

  async follow(after: number): Promise<void> {
    for await (const event of this.#session.events({ after, signal: this.#ended.signal })) {
      await this.#sending
      this.#view.show(event)
      if (event.__typename === 'TurnPausedEvent') await this.#showPending()
      this.#happened()
    }
  }

  /** Also what sessions ask for to which this one has delegated: no event of this one says more than that. */
  async #showPending(): Promise<void> {
    this.#view.showPending(await readPending(this.#client, this.#session.id))
  }

  end(): void {
    this.#ended.abort()
  }

  /** A person types; ends when they leave. */
  async converse(typed: AsyncIterable<string>, lines: Interface): Promise<void> {
    lines.on('SIGINT', () => {
      if (!this.#view.isWorking) lines.close()
      else void this.#stop().catch((error: unknown) => this.#fail(error))
    })
    for await (const line of typed) {
      if (line.trim() === '/quit') return
      // Not awaited: "/stop" must pass a message that is still on its way.
      void this.#take(line.trim()).catch((error: unknown) => this.#fail(error))
    }
  }

  /** Each line is a message. Ends when the last is answered, or waits for an approval. */
  async sendAll(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      if (line.trim() === '') continue
      this.#view.showSaid('you', line)
      const id = await this.#send(line)
      if (id === null || !(await this.#untilEnded(id))) return
    }
  }

  async #take(typed: string): Promise<void> {
    const { asked } = this.#view
    if (typed === '/help') this.#view.showNotice(HELP)
    else if (typed === '/stop') await this.#stop()
    else if (asked !== null) await this.#reply(asked, typed)
    else if (typed !== '') await this.#send(typed)
    this.#view.ask()
  }

  async #reply(approval: Approval, typed: string): Promise<void> {
    const reply = readReply(typed)
    if (reply === null) return this.#view.showNotice('y, s or n, and a reason behind it if there is one.')
    const refusal = await sendDecision(this.#client, { id: approval.id, ...reply })
    if (refusal === null) this.#view.decided(approval.id, reply.approve)
    else this.#view.showNotice(refusal)
  }

  /** The id of the message; null when it was refused. */
  async #send(content: string): Promise<string | null> {
    const sending = this.#session.send(content).then((sent) => {
      if (sent.__typename === 'SendMessagePayload') this.#view.addOwn(sent.message.id)
      return sent
    })
    this.#sending = sending.catch(() => {})
    const sent = await sending
    if (sent.__typename === 'SendMessagePayload') return sent.message.id
    this.exitCode = EXIT.failed
    this.#view.showNotice(refusalOf(sent) ?? 'It was refused.')
    return null
  }

  async #stop(): Promise<void> {
    const { cancelTurn } = await this.#client.run(TerminalCancelTurnDocument, {
      input: { sessionId: this.#session.id },
    })
    this.#view.showNotice(refusalOf(cancelTurn) ?? 'Stopping …')
  }

  /** False: it waits for an approval that cannot be given here. */
  async #untilEnded(messageId: string): Promise<boolean> {
    for (;;) {
      const happened = new Promise<void>((resolve) => (this.#happened = resolve))
      const end = this.#view.isWorking ? null : await readEnd(this.#client, messageId)
      if (end !== null) {
        if (end.status !== 'DONE' && end.status !== 'STORED') this.exitCode = EXIT.failed
        return true
      }
      if (this.#view.asked !== null) {
        if (this.exitCode === EXIT.done) this.exitCode = EXIT.waits
        return false
      }
      await happened
    }
  }

  #fail(error: unknown): void {
    this.#view.showNotice(error instanceof Error ? error.message : String(error))
  }
}

/** What a person typed about an approval. */
interface Reply {
  readonly approve: boolean
  readonly forSession: boolean
  readonly note: string | null
}

const REPLY = /^(y|yes|s|session|n|no)(?:[\s,:]+(.+))?$/is

/** Null: it is no answer. */
function readReply(typed: string): Reply | null {
  const [, word = '', note = null] = REPLY.exec(typed) ?? []
  const letter = word.charAt(0).toLowerCase()
  return letter === '' ? null : { approve: letter !== 'n', forSession: letter === 's', note }
}
