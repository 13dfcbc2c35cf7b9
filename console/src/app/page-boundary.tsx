/** A page that fails takes nothing else down: it says so, and the navigation stays. */
import { Component, type ReactNode } from 'react'
import { Button } from '../ui/controls/button.tsx'
import { EmptyState } from '../ui/tell/empty-state.tsx'

export class PageBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
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
}
