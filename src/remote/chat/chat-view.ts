/** Turns the events of a session into what a chat shows, and knows what it waits for. */
import { styleText } from 'node:util'
import type { SessionEvent } from '../../../packages/client/src/connect.ts'
import { whatRuns } from '../../core/plan/what-runs.ts'
import { harmless } from '../../core/text/harmless.ts'
import { describeEnd, describeStep, shortLine } from './describe-chat.ts'
import type { Screen } from './screen.ts'

type EventOf<Name extends SessionEvent['__typename']> = Extract<SessionEvent, { __typename: Name }>
type Stream = EventOf<'TaskOutputEvent'>['stream']
export type Approval = EventOf<'ApprovalEvent'>['approval']

/** `shown` grows with each event; nothing is shown twice, because events come once. */
export class ChatView {
  readonly #screen: Screen
  /** What this chat has sent itself, and which is on the screen already. */
  readonly #own = new Set<string>()
  readonly #approvals = new Map<string, Approval>()
  /** What was shown of a text while it was written, by its task. */
  readonly #written = new Map<string, string>()
  /** What of a line of output has come so far, by its task. */
  readonly #unfinished = new Map<string, Map<Stream, string>>()
  #isWorking = false

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** A turn runs. */
  get isWorking(): boolean {
    return this.#isWorking
  }

  /** The approval that a person is asked about; null: none waits. */
  get asked(): Approval | null {
    return this.#approvals.values().next().value ?? null
  }

  /** The message of this id was typed here. */
  addOwn(messageId: string): void {
    this.#own.add(messageId)
  }

  showSaid(speaker: string | null, content: string): void {
    const head = speaker === null ? styleText('bold', '‹ ') : styleText('cyan', `${harmless(speaker)} › `)
    this.#screen.text(`${head}${harmless(content)}`)
  }

  showNotice(text: string): void {
    this.#screen.text(styleText('yellow', text))
  }

  begin(isWorking: boolean): void {
    this.#isWorking = isWorking
    this.ask()
  }

  /** All that waits: what is not among it is settled. */
  showPending(approvals: readonly Approval[]): void {
    const ids = new Set(approvals.map(({ id }) => id))
    for (const id of this.#approvals.keys()) if (!ids.has(id)) this.#approvals.delete(id)
    for (const approval of approvals) this.#showApproval(approval)
    this.ask()
  }

  /** By the person here: of what another session asks for, no event of this one says so. */
  decided(id: string, approve: boolean): void {
    this.#settle(id, approve ? 'approved' : 'denied')
  }

  show(event: SessionEvent): void {
    switch (event.__typename) {
      case 'MessageReceivedEvent':
        return this.#showMessage(event)
      case 'TaskOutputEvent':
        return this.#showOutput(event)
      case 'TextDeltaEvent':
        return this.#showDelta(event)
      case 'TextCompletedEvent':
        return this.#showText(event)
      case 'ApprovalEvent':
        this.#showApproval(event.approval)
        return this.ask()
      case 'TurnCompletedEvent':
        for (const taskId of this.#unfinished.keys()) this.#endOutput(taskId)
        this.#isWorking = false
        this.#approvals.clear()
        this.#screen.text(describeEnd(event))
        return this.ask()
      default:
        return this.#showStep(event)
    }
  }

  #showMessage({ message }: EventOf<'MessageReceivedEvent'>): void {
    if (!this.#own.delete(message.id)) this.showSaid(message.user ?? message.role.toLowerCase(), message.content)
  }

  /** A line comes in pieces: it is shown when it ends, or its task does. */
  #showOutput({ taskId, text, stream }: EventOf<'TaskOutputEvent'>): void {
    const unfinished = this.#unfinished.get(taskId) ?? new Map<Stream, string>()
    const lines = ((unfinished.get(stream) ?? '') + text).split('\n').map(lastWritten)
    this.#unfinished.set(taskId, unfinished.set(stream, lines.pop() ?? ''))
    if (lines.length > 0) this.#showLines(lines, stream)
  }

  #showLines(lines: readonly string[], stream: Stream): void {
    const bar = styleText(stream === 'STDERR' ? 'red' : 'dim', '│ ')
    this.#screen.text(harmless(lines.map((line) => line.replace(/\r+$/, '')).join('\n')), `  ${bar}`)
  }

  #endOutput(taskId: string): void {
    const unfinished = this.#unfinished.get(taskId) ?? new Map<Stream, string>()
    this.#unfinished.delete(taskId)
    for (const [stream, line] of unfinished) if (line !== '') this.#showLines([line], stream)
  }

  #showDelta({ taskId, delta }: EventOf<'TextDeltaEvent'>): void {
    const written = this.#written.get(taskId)
    if (written === undefined) {
      this.#screen.endPieces()
      this.#screen.piece(styleText('bold', '‹ '))
    }
    this.#written.set(taskId, (written ?? '') + delta)
    // What ends a line may come in two pieces.
    const held = written?.endsWith('\r') === true ? '\r' : ''
    this.#screen.piece(harmless((held + delta).replace(/\r$/, '')))
  }

  /** The whole text counts: it is shown again where it is not what was written. */
  #showText({ taskId, content }: EventOf<'TextCompletedEvent'>): void {
    const written = this.#written.get(taskId)
    this.#written.delete(taskId)
    this.#screen.endPieces()
    if (written !== content) this.showSaid(null, content)
  }

  #showStep(event: SessionEvent): void {
    if (event.__typename === 'PipelineStepEvent') {
      this.#isWorking = true
      this.ask()
    }
    if (event.__typename === 'TaskUpdateEvent' && event.taskStatus !== 'RUNNING') this.#endOutput(event.taskId)
    const step = describeStep(event)
    if (step !== null) this.#screen.text(styleText('dim', step), '  ')
  }

  #showApproval(approval: Approval): void {
    const { id, kind, approvalStatus, approvalReason } = approval
    if (approvalStatus !== 'PENDING') return this.#settle(id, approvalStatus.toLowerCase())
    if (this.#approvals.has(id)) return
    this.#approvals.set(id, approval)
    const question = kind === 'PLAN' ? 'May all of the plan run?' : 'May this run?'
    this.#screen.text(`${styleText('yellow', question)} ${whatRuns(approval).join('\n  ')}`)
    this.#screen.text(styleText('dim', `because: ${harmless(approvalReason)} (${id})`), '  ')
  }

  #settle(id: string, outcome: string): void {
    if (this.#approvals.delete(id)) this.#screen.text(styleText('dim', outcome), '  ')
  }

  /** Shows the prompt for what is expected of the person now. */
  ask(): void {
    const { asked } = this
    // A prompt and its answer fit into 80 columns.
    if (asked !== null) this.#screen.setPrompt(`${shortLine(asked.task.detail, 36)} · [y]es, for the [s]ession, [n]o? `)
    else this.#screen.setPrompt(this.#isWorking ? '… › ' : '› ')
  }
}

/** Of a line that was written over, as progress is, what a terminal would show; a return at its end may be its own. */
function lastWritten(line: string): string {
  const end = /\r*$/.exec(line)?.index ?? line.length
  return line.slice(line.lastIndexOf('\r', end - 1) + 1)
}
