/**
 * A page that fails takes nothing else down: it says so, and the navigation stays. One that could not be loaded, as the
 * server is away, is shown once it is back.
 */
import { Component, type ReactNode } from 'react'
import { run } from '../data/client.ts'
import { onReturn, useTrouble } from '../data/trouble.ts'
import { ViewerDocument } from '../generated/graphql.ts'
import { Button } from '../ui/controls/button.tsx'
import { EmptyState } from '../ui/feedback/empty-state.tsx'
import { Pending } from '../ui/feedback/pending.tsx'

export class PageBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }
  #ignoreReturns = (): void => {}

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidMount(): void {
    // A file that could not be loaded browsers do not ask for again before the page is loaded anew.
    this.#ignoreReturns = onReturn(() => {
      if (this.state.hasFailed) location.reload()
    })
  }

  override componentWillUnmount(): void {
    this.#ignoreReturns()
  }

  override componentDidCatch(): void {
    // Whether the server is away, `run` reports: loading a file does not.
    void run(ViewerDocument, {}).catch(() => {})
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Failed /> : this.props.children
  }
}

function Failed() {
  if (useTrouble() !== 'none') return <Pending what="the page" />
  return (
    <EmptyState
      icon="warning"
      title="Something went wrong on this page"
      action={<Button onClick={() => location.reload()}>Reload</Button>}
    >
      Nothing on the server has changed. A newer version of the console may be there; reloading gets it.
    </EmptyState>
  )
}
