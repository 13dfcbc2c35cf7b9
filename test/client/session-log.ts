/**
 * A session as the server has it, in memory: a log, its conversation and its view, driven by steps that a test makes
 * up. What it shows has the forms of the API, so that the client's fold can be compared with it.
 */
import type { SessionState, StoreEvent, StorePage } from '../../packages/client/src/store/session-state.ts'

/** What may happen next; numbers choose among what is possible. */
export type Step =
  'send' | 'begin' | 'delta' | 'complete' | 'takeover' | 'think' | 'thought' | 'output' | 'end' | 'edit'

type Node = StorePage['conversation']['edges'][number]['node']
type View = StorePage['view']

interface Logged {
  readonly event: StoreEvent
  /** Pieces leave the log when this is whole. */
  readonly pieceOf: string | null
}

interface Message {
  readonly id: string
  readonly seq: number
  content: string
  status: 'QUEUED' | 'PROCESSING' | 'DONE'
}

const AT = '2026-11-25T00:00:00.000Z'
const USAGE = { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: null }

export class SessionLog {
  #log: Logged[] = []
  #seq = 0
  readonly #messages: Message[] = []
  readonly #said: Node[] = []
  #turn: { id: string; message: Message; task: string; isWritten: boolean; thought: string | null } | null = null
  #text = ''
  #thinking = ''
  #turns = 0
  #calls = 0

  get seq(): number {
    return this.#seq
  }

  /** Does nothing where the step is not possible. */
  take(step: Step): void {
    const turn = this.#turn
    if (step === 'send') return this.#send()
    if (step === 'edit') return this.#edit()
    if (step === 'begin') return turn === null ? this.#begin() : undefined
    if (turn === null) return
    const { task: taskId } = turn
    if (step === 'end') return this.#end()
    if (step === 'think' && turn.thought === null) turn.thought = `thought_${this.#seq}`
    if (step === 'think') return this.#thinkPiece(turn.thought ?? '')
    if (step === 'thought') return this.#thought()
    if (step === 'output') return this.#add({ __typename: 'TaskOutputEvent', taskId, stream: 'STDOUT', text: 'out' })
    if (turn.isWritten) return
    if (step === 'delta') {
      const delta = `${this.#seq} `
      this.#text += delta
      return this.#add({ __typename: 'TextDeltaEvent', taskId, delta }, taskId)
    }
    if (step === 'takeover') return this.#run(turn.task)
    this.#complete()
  }

  /** What a page that is read now is given; the conversation may be of a later moment than the view. */
  page(view: View, last = 1000): StorePage {
    const nodes = this.conversation().slice(-last)
    const thoughts = this.#log.flatMap(({ event }) => (event.__typename === 'ThinkingEvent' ? [{ node: event }] : []))
    const pageInfo = { hasPreviousPage: this.#said.length > last, startCursor: null }
    const { view: _, ...session } = this.#session()
    const progress = { task: this.#task(), output: this.#text === '' ? null : this.#text }
    const page = {
      ...session,
      view: { ...view, activeTurn: view.activeTurn === null ? null : { ...view.activeTurn, progress } },
      thoughts: { edges: thoughts },
      activeTurn: view.activeTurn === null ? null : { id: view.activeTurn.turn.id, plans: [] },
      conversation: { edges: nodes.map((node) => ({ node })), pageInfo },
    }
    return page as unknown as StorePage
  }

  /** What is in the log after a seq, shown as things are now. */
  after(seq: number): StoreEvent[] {
    return this.#log.flatMap(({ event }) => (event.seq > seq ? [this.#shown(event)] : []))
  }

  conversation(): Node[] {
    return this.#said.map((node) => this.#current(node))
  }

  view(): View {
    const queue = this.#messages.filter(({ status }) => status === 'QUEUED')
    const activeTurn = this.#turn === null ? null : { step: null, turn: { id: this.#turn.id }, plan: null }
    return {
      version: this.#seq,
      status: this.#turn === null ? 'IDLE' : 'RUNNING',
      activeTurn,
      queueLength: queue.length,
      queue: queue.map(({ id, content }, position) => ({ position, message: { id, content } })),
      approvals: [],
      questions: [],
      usage: { ...USAGE, calls: this.#calls },
    } as unknown as View
  }

  /** What is being written now: thought and text. */
  writing(): string[] {
    return [this.#thinking, this.#turn?.isWritten === true ? '' : this.#text].filter((text) => text !== '')
  }

  #send(): void {
    const seq = this.#seq + 1
    const message: Message = { id: `msg_${seq}`, seq, content: `message ${seq}`, status: 'QUEUED' }
    this.#messages.push(message)
    const author = { role: 'USER', name: 'ada', trusted: true } as const
    const said = { id: `entry_${seq}`, seq, at: AT, content: '', author, turn: null }
    const node: Node = {
      __typename: 'PersonMessage',
      ...said,
      message: { id: message.id, status: 'QUEUED', idempotencyKey: null, attachments: [] },
    }
    this.#said.push(node)
    this.#add({ __typename: 'MessageReceivedEvent', entry: node })
  }

  #edit(): void {
    const message = this.#messages.find(({ status }) => status === 'QUEUED')
    if (message === undefined) return
    message.content += '!'
    this.#addUpdate(message)
  }

  #begin(): void {
    const message = this.#messages.find(({ status }) => status === 'QUEUED')
    if (message === undefined) return
    message.status = 'PROCESSING'
    this.#turns += 1
    const id = `turn_${this.#turns}`
    this.#turn = { id, message, task: `task_t${this.#turns}`, isWritten: false, thought: null }
    this.#addUpdate(message)
    this.#run(this.#turn.task)
  }

  #addUpdate(message: Message): void {
    const node = this.#said.find((one) => one.id === `entry_${message.seq}`)
    if (node !== undefined) this.#add({ __typename: 'MessageUpdatedEvent', entry: node })
  }

  #run(taskId: string): void {
    this.#text = ''
    const task = { output: null, stderr: null, plan: { id: 'plan' } }
    this.#add({ __typename: 'TaskUpdateEvent', taskId, taskStatus: 'RUNNING', task })
  }

  #complete(): void {
    const turn = this.#turn
    if (turn === null) return
    const seq = this.#seq + 1
    const base = { id: `entry_${turn.task.slice(5)}`, seq, at: AT, content: `${this.#text}whole` }
    const node: Node = { __typename: 'AgentText', ...base, final: true, task: { id: turn.task }, turn: { id: turn.id } }
    this.#said.push(node)
    turn.isWritten = true
    this.#text = ''
    this.#drop(turn.task)
    this.#add({ __typename: 'TextCompletedEvent', taskId: turn.task, attempt: 1, entry: node })
  }

  #thinkPiece(thinkingId: string): void {
    const delta = `t${this.#seq} `
    this.#thinking += delta
    this.#add({ __typename: 'ThinkingEvent', thinkingId, delta, content: '', isWhole: false }, thinkingId)
  }

  #thought(): void {
    const thinkingId = this.#turn?.thought ?? null
    if (thinkingId === null || this.#turn === null) return
    this.#turn.thought = null
    this.#drop(thinkingId)
    this.#add({ __typename: 'ThinkingEvent', thinkingId, delta: '', content: this.#thinking, isWhole: true })
    this.#thinking = ''
  }

  #end(): void {
    const turn = this.#turn
    if (turn === null) return
    turn.message.status = 'DONE'
    this.#calls += 1
    const { id, status } = turn.message
    this.#add({ __typename: 'TurnCompletedEvent', message: { id, status }, turn: { id: turn.id, plans: [] } })
    this.#turn = null
    this.#text = ''
    this.#thinking = ''
  }

  /** The whole has come: its pieces leave the log. */
  #drop(pieceOf: string): void {
    this.#log = this.#log.filter((one) => one.pieceOf !== pieceOf)
  }

  #add(body: object, pieceOf: string | null = null): void {
    const turnId = this.#turn?.id ?? null
    this.#seq += 1
    this.#log.push({ event: { ...body, seq: this.#seq, at: AT, turnId } as unknown as StoreEvent, pieceOf })
  }

  #shown(event: StoreEvent): StoreEvent {
    const isPiece = ['TextDeltaEvent', 'ThinkingEvent', 'TaskOutputEvent'].includes(event.__typename)
    const entry = 'entry' in event ? { entry: this.#current(event.entry) } : {}
    return { ...event, ...(isPiece ? {} : { session: this.#session() }), ...entry } as StoreEvent
  }

  #current(node: Node): Node {
    if (node.__typename !== 'PersonMessage') return node
    const message = this.#messages.find(({ id }) => id === node.message.id)
    if (message === undefined) return node
    return { ...node, content: message.content, message: { ...node.message, status: message.status } }
  }

  #session() {
    return {
      ...({ id: 'cli:log', description: null, messageCount: this.#messages.length } as object),
      view: this.view(),
    }
  }

  #task(): { id: string; type: 'MSG' } | null {
    return this.#turn === null || this.#turn.isWritten ? null : { id: this.#turn.task, type: 'MSG' }
  }
}

/** What a state must show of a log. */
export function shownOf(state: SessionState): object {
  const settled = state.entries.filter(({ seq, kind }) => seq !== null && kind !== 'thinking')
  const writing = state.entries.filter((entry) => 'isStreaming' in entry && entry.isStreaming)
  return {
    said: settled.map((entry) => [entry.key, entry.content, entry.kind === 'person' ? entry.message?.status : null]),
    writing: writing.map(({ content }) => content).sort(),
    queue: state.queue,
    queueLength: state.queueLength,
    status: state.session?.status,
    usage: state.usage,
    busyWith: state.isBusy ? state.turn?.id : null,
  }
}

export function expectedOf(log: SessionLog): object {
  const { queue, queueLength, status, usage, activeTurn } = log.view()
  return {
    said: log
      .conversation()
      .map((node) => [node.id, node.content, node.__typename === 'PersonMessage' ? node.message.status : null]),
    writing: log.writing().sort(),
    queue,
    queueLength,
    status,
    usage,
    busyWith: activeTurn?.turn.id ?? null,
  }
}
