/** Where a session comes from. It is fixed by the first opening of the session, in words or by the id it chose. */
import type { InputIssue } from '../../core/refusal.ts'
import { isServersNamespace, namespaceOf, USER_MARK } from '../../core/session/session-id.ts'
import type { ConversationType } from '../../core/status.ts'
import { randomHex } from '../../platform/random.ts'
import type { SessionSource } from '../../store/intake/intake-session.ts'
import { textIssues, KEY_RULE } from '../../core/text/text-rule.ts'

/** What a client may say about it; what it leaves out follows from the session's id. */
export interface SourceInput {
  readonly kind: string
  readonly interactive?: boolean | null | undefined
  readonly platform?: string | null | undefined
  readonly triggerId?: string | null | undefined
  /** DIRECT when left out. */
  readonly type?: ConversationType | null | undefined
}

const KIND = /^[a-zA-Z0-9_@.-]{1,64}$/
const DEFAULT_KIND = 'api'

/** `sessionId`: null when it is to be generated. */
export function sourceIssues(sessionId: string | null, source: SourceInput): InputIssue[] {
  const kindRule = 'must be 1 to 64 characters out of letters, digits and _ @ . -, such as "cli" or "telegram"'
  const reserved = `only ${source.kind}s open sessions of this kind; choose another, such as "cli"`
  const takesReserved =
    isServersNamespace(source.kind) && (sessionId === null || namespaceOf(sessionId) !== source.kind)
  return [
    ...(takesReserved ? [{ path: ['source', 'kind'], message: reserved }] : []),
    ...(KIND.test(source.kind) ? [] : [{ path: ['source', 'kind'], message: kindRule }]),
    ...textIssues(['source', 'platform'], source.platform, KEY_RULE),
    ...textIssues(['source', 'triggerId'], source.triggerId, KEY_RULE),
  ]
}

/**
 * The source of the session `sessionId`: as given, else the kind is the id's prefix ("cli:demo" and "@anna:cli:demo" →
 * "cli"), else "api".
 */
export function sourceOf(sessionId: string, given?: SourceInput | null): SessionSource {
  const isUsers = sessionId.startsWith(USER_MARK)
  const prefix = namespaceOf(isUsers ? sessionId.slice(sessionId.indexOf(':') + 1) : sessionId) ?? DEFAULT_KIND
  return {
    kind: given?.kind ?? (KIND.test(prefix) ? prefix : DEFAULT_KIND),
    interactive: given?.interactive ?? true,
    platform: given?.platform ?? null,
    triggerId: given?.triggerId ?? null,
    type: given?.type ?? 'DIRECT',
  }
}

/** On these each conversation begins on some day; their ids say when. */
const CHAT_PLATFORMS: ReadonlySet<string> = new Set(['telegram', 'discord', 'slack'])

/**
 * An id for a session whose opener chose none: unguessable, in the opener's name space, by convention
 * ("@anna:web:<random>", "telegram:<date>-<random>").
 */
export function newSessionId(namespace: string, kind: string | undefined, now: Date): string {
  const date = CHAT_PLATFORMS.has(kind ?? namespace) ? `${now.toISOString().slice(0, 10)}-` : ''
  const local = namespace.startsWith(USER_MARK) ? `${kind ?? DEFAULT_KIND}:` : ''
  return `${namespace}:${local}${date}${randomHex(16)}`
}
