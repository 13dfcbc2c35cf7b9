/**
 * The parts of the server that act in their own name: as `actor` in the audit, as who changed a fact. No person has
 * such a name, or what they do would look like the server's.
 */
const SERVER_PARTS: ReadonlySet<string> = new Set([
  'agent',
  'assistant',
  'consolidator',
  'curator',
  'factotum',
  'introspector',
  'messenger',
  'outbox',
  'paraphraser',
  'planner',
  'retention',
  'reviewer',
  'scheduler',
  'server',
  'summarizer',
  'system',
  'worker',
])

/** Whether the name is kept for a part of the server. */
export function isServerPart(name: string): boolean {
  return SERVER_PARTS.has(name)
}
