/**
 * A turn as one text, for clients that know nothing else: what the agent says, and as its reasoning what it thinks,
 * plans and does.
 */
import type { TurnEvent } from '../protocols/turn-documents.ts'
import { TextPieces } from '../protocols/text-pieces.ts'

export interface Piece {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
}

/** After these nothing more may come. */
const DUE: ReadonlySet<string> = new Set(['TurnPausedEvent', 'TurnCompletedEvent'])

export class Narrator {
  readonly #texts = new Map<string, TextPieces>()
  readonly #thoughts = new Map<string, TextPieces>()
  #hasSpoken = false
  /**
   * The thought of which more is to come: what else there is of reasoning comes behind it, so that no sentence is torn.
   * A text ends it, or the text would be torn by what is held.
   */
  #openThought: string | null = null
  #held: Piece[] = []

  /** What is new with this event. */
  piecesOf(event: TurnEvent): Piece[] {
    const pieces = this.#piecesOf(event)
    if (event.__typename === 'ThinkingEvent') {
      const before = event.thinkingId === this.#openThought ? [] : this.#release()
      this.#openThought = event.isWhole ? null : event.thinkingId
      return event.isWhole ? [...before, ...pieces, ...this.#release()] : [...before, ...pieces]
    }
    if (this.#openThought === null || DUE.has(event.__typename)) return [...this.#release(), ...pieces]
    if (pieces.some(({ kind }) => kind === 'text')) {
      this.#openThought = null
      return [{ kind: 'reasoning', text: '\n' }, ...this.#release(), ...pieces]
    }
    this.#held.push(...pieces)
    return []
  }

  #release(): Piece[] {
    return this.#held.splice(0)
  }

  #piecesOf(event: TurnEvent): Piece[] {
    switch (event.__typename) {
      case 'TextDeltaEvent':
        return this.#say(event.taskId, this.#text(event.taskId).add(event.delta))
      case 'TextCompletedEvent':
        return this.#say(event.taskId, this.#text(event.taskId).complete(event.content))
      case 'ThinkingEvent': {
        const thought = pieces(this.#thoughts, event.thinkingId)
        return reasoning(event.isWhole ? `${thought.complete(event.content)}\n` : thought.add(event.delta))
      }
      case 'PipelineStepEvent':
        return event.step === 'REPLANNING' && event.detail !== null ? reasoning(`A new plan: ${event.detail}\n`) : []
      case 'PlanCreatedEvent':
        return reasoning(describePlan(event.plan))
      case 'TaskUpdateEvent':
        return this.#taskPieces(event)
      case 'TurnPausedEvent':
        return reasoning(`${event.pausedReason}\n`)
      case 'TaskOutputEvent':
      case 'MessageUpdatedEvent':
      case 'ApprovalEvent':
      case 'TurnCompletedEvent':
        return []
    }
  }

  #taskPieces({ task, taskStatus }: Extract<TurnEvent, { __typename: 'TaskUpdateEvent' }>): Piece[] {
    if (task.type === 'MSG') {
      if (taskStatus === 'RUNNING') this.#text(task.id).beginAnew()
      return []
    }
    const name = `${task.index + 1}. ${task.tool ?? task.skill ?? task.detail}`
    return taskStatus === 'PENDING' ? [] : reasoning(`${name}: ${taskStatus}\n`)
  }

  #say(taskId: string, text: string): Piece[] {
    if (text === '') return []
    const isFirst = this.#hasSpoken && this.#text(taskId).isFirst(text)
    this.#hasSpoken = true
    return [{ kind: 'text', text: isFirst ? `\n\n${text}` : text }]
  }

  #text(taskId: string): TextPieces {
    return pieces(this.#texts, taskId)
  }
}

function pieces(all: Map<string, TextPieces>, id: string): TextPieces {
  const known = all.get(id) ?? new TextPieces()
  all.set(id, known)
  return known
}

function reasoning(text: string): Piece[] {
  return text.trim() === '' && !text.includes(' ') ? [] : [{ kind: 'reasoning', text }]
}

function describePlan({ goal, tasks }: Extract<TurnEvent, { __typename: 'PlanCreatedEvent' }>['plan']): string {
  const lines = tasks.map(({ type, detail, tool, skill }, index) => `${index + 1}. ${type} ${tool ?? skill ?? detail}`)
  return lines.length === 0 ? '' : `${goal}\n${lines.join('\n')}\n`
}
