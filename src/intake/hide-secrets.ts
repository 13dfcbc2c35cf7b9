/**
 * What clients say of a session is stored without the secrets that this process knows: those of the deployment, and the
 * session's own.
 */
import { redactJson } from '../secrets/redact-json.ts'
import type { IntakeContext } from './intake-context.ts'
import type { SourceInput } from './session/session-source.ts'

interface SaidOfSession {
  readonly description?: string | null | undefined
  readonly instructions?: string | null | undefined
  readonly metadata?: unknown
  readonly source?: SourceInput | null | undefined
}

/** The input with its texts, metadata (names of fields too) and source rid of secrets; the rest as it is. */
export function hideSecrets<Input extends SaidOfSession>(
  { redactorOf }: IntakeContext,
  sessionId: string,
  input: Input,
): Input {
  const { description, instructions, metadata, source } = input
  return { ...input, ...redactJson({ description, instructions, metadata, source }, redactorOf(sessionId)) }
}
