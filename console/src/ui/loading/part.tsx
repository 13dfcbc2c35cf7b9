/**
 * A part of the console in a file of its own, loaded when it is shown first or when an address foretells it. Not
 * React's `lazy`: what is there is shown at once, where React would hold back for 300 ms what has once suspended.
 */
import { useEffect, useState, type ComponentType } from 'react'
import { Pending } from '../feedback/pending.tsx'

/** `begin`: asks for what the part will show at this address, before it is shown. */
interface Module<Props> {
  readonly default: ComponentType<Props>
  readonly begin?: (path: string) => void
}

export type Part<Props extends object = object> = ComponentType<Props> & {
  /** Never rejects: what could not be loaded is tried again when it is shown, and fails there. */
  readonly foretell: (path: string) => void
}

/** `what` is waited for, in the words of a page. */
export function part<Props extends object>(what: string, load: () => Promise<Module<Props>>): Part<Props> {
  let loaded: ComponentType<Props> | null = null
  let loading: Promise<Module<Props>> | null = null
  const read = (): Promise<Module<Props>> => {
    loading ??= load().then(
      (module) => {
        loaded = module.default
        return module
      },
      (error: unknown) => {
        loading = null
        throw error
      },
    )
    return loading
  }
  function Shown(props: Props) {
    const [Content, setContent] = useState(() => loaded)
    const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null)
    useEffect(() => {
      if (Content !== null) return
      read().then(
        (module) => setContent(() => module.default),
        (error: unknown) => setFailure({ error }),
      )
    }, [Content])
    if (failure !== null) throw failure.error
    return Content === null ? <Pending what={what} /> : <Content {...props} />
  }
  const foretell = (path: string): void => {
    read().then(
      ({ begin }) => begin?.(path),
      () => {},
    )
  }
  return Object.assign(Shown, { foretell })
}
