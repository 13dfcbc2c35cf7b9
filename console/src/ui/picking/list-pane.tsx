/** A list with its states: what is awaited, what went wrong, what stands where nothing is. */
import type { ReactNode } from 'react'
import type { Pages } from '../../data/use-read.ts'
import { VirtualList } from '../display/virtual-list.tsx'
import { ErrorLine } from '../feedback/error-line.tsx'
import { Pending } from '../feedback/pending.tsx'

interface ListPaneProps<Row> {
  /** What is listed, such as "the approvals that wait". */
  readonly what: string
  readonly list: Pages<Row>
  /** Above the list: filters, and what can be done with several rows. */
  readonly bar?: ReactNode
  /** Shown when there is no row. */
  readonly empty: ReactNode
  readonly rowHeight: number
  /** Below the list, once there are rows: the keys. */
  readonly foot?: ReactNode
  readonly children: (row: Row) => ReactNode
}

export function ListPane<Row extends { readonly id: string }>(props: ListPaneProps<Row>) {
  const { what, list, bar, empty, rowHeight, foot, children } = props
  return (
    <div className="list-pane">
      {bar !== undefined && <div className="list-bar">{bar}</div>}
      {list.error !== null && <ErrorLine>{list.error.message}</ErrorLine>}
      {list.isLoading && list.error === null && <Pending what={what} />}
      {!list.isLoading && list.rows.length === 0 && empty}
      {list.rows.length > 0 && (
        <VirtualList
          label={what}
          rows={list.rows}
          keyOf={({ id }) => id}
          rowHeight={rowHeight}
          onNearEnd={list.loadMore}
        >
          {children}
        </VirtualList>
      )}
      {list.rows.length > 0 && foot !== undefined && <footer className="page-foot">{foot}</footer>}
    </div>
  )
}
