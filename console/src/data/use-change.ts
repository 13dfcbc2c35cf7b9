/**
 * Mutations. A refusal is a value of the API: it is shown as a sentence, and the promise resolves with null, so that
 * what was typed stays where it is.
 */
import { ClientError, type CallOptions, type TypedDocument } from '@factotum/client'
import { useMutation } from '@tanstack/react-query'
import { notify } from '../ui/feedback/toasts.ts'
import { run } from './client.ts'
import { queryClient } from './query-client.ts'
import { keyOf } from './use-read.ts'

interface Refused {
  readonly problem: string
}

interface Sent<Variables> {
  readonly variables: Variables
  readonly options: CallOptions
}

export interface Change<Variables, Payload> {
  /** Null: it was refused or failed, and the page says why. */
  readonly send: (variables: Variables, options?: CallOptions) => Promise<Payload | null>
  readonly isSending: boolean
}

/**
 * `pick` gets the result union out of the answer; `touches` are the documents whose lists are read again after it
 * went well.
 */
export function useChange<Data, Variables, Result extends object>(
  document: TypedDocument<Data, Variables>,
  pick: (data: Data) => Result,
  touches: readonly { toString(): string }[] = [],
): Change<Variables, Exclude<Result, Refused>> {
  const mutation = useMutation({
    mutationFn: ({ variables, options }: Sent<Variables>) => run(document, variables, options),
  })
  return {
    isSending: mutation.isPending,
    send: async (variables, options = {}) => {
      try {
        const result = pick(await mutation.mutateAsync({ variables, options }))
        if ('problem' in result) {
          notify({ tone: 'bad', text: String(result.problem) })
          return null
        }
        for (const touched of touches) void queryClient.invalidateQueries({ queryKey: keyOf(touched) })
        return result as Exclude<Result, Refused>
      } catch (error) {
        notify({ tone: 'bad', text: problemOf(error) })
        return null
      }
    },
  }
}

/** A sentence for people. */
export function problemOf(error: unknown): string {
  if (!(error instanceof ClientError)) return 'That did not work. Reload the page and try again.'
  if (error.code === 'UNREACHABLE') return 'The server did not answer. Nothing was lost here; try again.'
  return error.message
}
