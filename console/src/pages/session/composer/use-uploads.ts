/** Files on their way into the session: put there at once, named by the next message. */
import { useState } from 'react'

export interface Upload {
  readonly name: string
  readonly size: number
  readonly status: 'sending' | 'there' | 'failed'
  readonly problem: string | null
}

export interface Uploads {
  readonly files: readonly Upload[]
  readonly isBusy: boolean
  readonly add: (files: Iterable<File>) => void
  readonly remove: (name: string) => void
  /** The names of those that are there; none is left then. */
  readonly take: () => string[]
}

const MOST = 10

export function useUploads(sessionId: string): Uploads {
  const [files, setFiles] = useState<readonly Upload[]>([])
  const change = (name: string, part: Partial<Upload>): void =>
    setFiles((before) => before.map((file) => (file.name === name ? { ...file, ...part } : file)))
  return {
    files,
    isBusy: files.some(({ status }) => status === 'sending'),
    add: (added) => {
      const chosen = [...added].slice(0, MOST)
      const names = new Set(chosen.map(({ name }) => name))
      const fresh = chosen.map(({ name, size }): Upload => ({ name, size, status: 'sending', problem: null }))
      setFiles((before) => [...before.filter(({ name }) => !names.has(name)), ...fresh].slice(-MOST))
      for (const file of chosen)
        void upload(sessionId, file).then((problem) =>
          change(file.name, problem === null ? { status: 'there' } : { status: 'failed', problem }),
        )
    },
    remove: (name) => setFiles((before) => before.filter((file) => file.name !== name)),
    take: () => {
      setFiles([])
      return files.flatMap(({ name, status }) => (status === 'there' ? [name] : []))
    },
  }
}

/** Null: it is there. Otherwise why not, for people. Never rejects. */
async function upload(sessionId: string, file: File): Promise<string | null> {
  const path = `files/${encodeURIComponent(sessionId)}/${encodeURIComponent(file.name)}`
  try {
    const response = await fetch(new URL(path, document.baseURI), { method: 'PUT', body: file })
    return response.ok ? null : ((await problemIn(response)) ?? `The server refused (status ${response.status}).`)
  } catch {
    return 'The server does not answer.'
  }
}

async function problemIn(response: Response): Promise<string | null> {
  try {
    const { problem, error } = (await response.json()) as { readonly problem?: unknown; readonly error?: unknown }
    const said = problem ?? error
    return typeof said === 'string' ? said : null
  } catch {
    return null
  }
}
