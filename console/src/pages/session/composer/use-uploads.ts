/** Files on their way into the session: put there at once, named by the next message. */
import { useState } from 'react'
import { plainRequest } from '../../../data/plain-request.ts'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf } from '../../../data/use-read.ts'
import { SessionDetailsDocument } from '../../../generated/graphql.ts'
import { notify } from '../../../ui/feedback/toasts.ts'
import { MOST_FILES, nameFiles, pastedName, type NamedFile } from './name-files.ts'

export interface Upload {
  readonly name: string
  readonly file: File
  readonly status: 'sending' | 'there' | 'failed'
  readonly problem: string | null
  /** Aborted when it is left out. */
  readonly leaving: AbortController
}

export interface Uploads {
  readonly files: readonly Upload[]
  readonly isBusy: boolean
  /** What is beyond the most is left out, and the page says so. One that failed is replaced by a file of its name. */
  readonly add: (files: Iterable<File>) => void
  /** The same for files of the clipboard, whose pictures have no names of their own. */
  readonly paste: (files: Iterable<File>) => void
  /** One that failed. */
  readonly retry: (upload: Upload) => void
  /** One on its way is sent no further. */
  readonly remove: (name: string) => void
  /** The names of those that are there; none is left then. */
  readonly take: () => string[]
}

export function useUploads(sessionId: string): Uploads {
  const [files, setFiles] = useState<readonly Upload[]>([])
  const change = ({ leaving }: Upload, part: Partial<Upload>): void =>
    setFiles((before) => before.map((file) => (file.leaving === leaving ? { ...file, ...part } : file)))
  const begin = (begun: Upload): void =>
    void upload(sessionId, begun).then((problem) => {
      change(begun, problem === null ? { status: 'there' } : { status: 'failed', problem })
      void queryClient.invalidateQueries({ queryKey: keyOf(SessionDetailsDocument, { id: sessionId }) })
    })
  const add = (added: readonly NamedFile<File>[]): void => {
    const taken = files.flatMap(({ name, status }) => (status === 'failed' ? [] : [name]))
    const chosen = nameFiles(added, taken)
    const leftOut = added.length - chosen.length
    if (leftOut > 0)
      notify({ tone: 'bad', text: `At most ${MOST_FILES} files go with one message. Left out: ${leftOut}.` })
    const names = new Set(chosen.map(({ name }) => name))
    const fresh = chosen.map((named): Upload => ({
      ...named,
      status: 'sending',
      problem: null,
      leaving: new AbortController(),
    }))
    setFiles((before) => [...before.filter(({ name }) => !names.has(name)), ...fresh])
    fresh.forEach(begin)
  }
  return {
    files,
    isBusy: files.some(({ status }) => status === 'sending'),
    add: (added) => add([...added].map((file) => ({ name: file.name, file }))),
    paste: (added) => {
      const at = new Date()
      add([...added].map((file) => ({ name: pastedName(file.name, at), file })))
    },
    retry: (failed) => {
      change(failed, { status: 'sending' })
      begin(failed)
    },
    remove: (name) => {
      for (const file of files) if (file.name === name) file.leaving.abort()
      setFiles((before) => before.filter((file) => file.name !== name))
    },
    take: () => {
      setFiles([])
      return files.flatMap(({ name, status }) => (status === 'there' ? [name] : []))
    },
  }
}

/** Null: it is there. Otherwise why not, for people. Never rejects. */
async function upload(sessionId: string, { name, file, leaving: { signal } }: Upload): Promise<string | null> {
  const path = `files/${encodeURIComponent(sessionId)}/${encodeURIComponent(name)}`
  const answer = await plainRequest(path, { method: 'PUT', body: file, signal })
  return typeof answer === 'string' ? answer : null
}
