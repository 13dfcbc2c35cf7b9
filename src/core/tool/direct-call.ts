/** The call of a tool that a person asks for themselves: the message is the call, and no model is asked. */
import type { JsonObject } from './json.ts'

export interface DirectCall {
  readonly tool: string
  readonly args: JsonObject
}

/** As what it stands in the conversation. */
export function textOfCall({ tool, args }: DirectCall): string {
  return `${tool} ${JSON.stringify(args)}`
}
