/** Reading by typed documents: one thing (`useRead`), or a list page by page (`usePages`). */
import type { TypedDocument } from '@factotum/client'
import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type QueryKey,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { run } from './client.ts'
import { queryClient } from './query-client.ts'

/** The key of what a document reads: its operation's name, then its variables. `[name]` invalidates all of them. */
export function keyOf(document: { toString(): string }, variables?: unknown): QueryKey {
  const name = /(?:query|mutation|subscription)\s+(\w+)/.exec(document.toString())?.[1] ?? document.toString()
  return variables === undefined ? [name] : [name, variables]
}

interface ReadOptions {
  /** False: it is not read yet. */
  readonly enabled?: boolean
  /** True: what was read with other variables is shown until the new answer is there. */
  readonly keepPrevious?: boolean
  /** Read again this often, for what has no subscription. */
  readonly everyMs?: number
}

export function useRead<Data, Variables>(
  document: TypedDocument<Data, Variables>,
  variables: Variables,
  { enabled = true, keepPrevious = false, everyMs }: ReadOptions = {},
): UseQueryResult<Data> {
  return useQuery<Data>({
    queryKey: keyOf(document, variables),
    queryFn: ({ signal }) => run(document, variables, { signal }),
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  })
}

/** A list of the API: a page of it, and whether there is more. */
export interface Connection<Row> {
  readonly edges: readonly { readonly node: Row }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

export interface Pages<Row> {
  readonly rows: readonly Row[]
  /** Nothing has been read yet. */
  readonly isLoading: boolean
  readonly error: Error | null
  readonly hasMore: boolean
  /** Reads the next page; does nothing while one is being read, or when there is none. */
  readonly loadMore: () => void
  readonly isLoadingMore: boolean
}

type Pick<Data, Row> = (data: Data) => Connection<Row> | null | undefined

function pagesOptions<Data, Variables extends { after?: string | null | undefined }, Row>(
  document: TypedDocument<Data, Variables>,
  variables: Omit<Variables, 'after'>,
  pick: Pick<Data, Row>,
) {
  return {
    queryKey: keyOf(document, variables),
    queryFn: ({ pageParam, signal }: { readonly pageParam: string | null; readonly signal: AbortSignal }) =>
      run(document, { ...variables, after: pageParam } as unknown as Variables, { signal }),
    initialPageParam: null,
    getNextPageParam: (last: Data) => {
      const info = pick(last)?.pageInfo
      return info?.hasNextPage === true ? (info.endCursor ?? null) : null
    },
  }
}

/** Reads what `useRead` will show. */
export function beginRead<Data, Variables>(document: TypedDocument<Data, Variables>, variables: Variables): void {
  void queryClient.prefetchQuery({ queryKey: keyOf(document, variables), queryFn: () => run(document, variables) })
}

/** Reads the first page of what `usePages` will show, with the same arguments. */
export function beginPages<Data, Variables extends { after?: string | null | undefined }, Row>(
  document: TypedDocument<Data, Variables>,
  variables: Omit<Variables, 'after'>,
  pick: Pick<Data, Row>,
): void {
  void queryClient.prefetchInfiniteQuery<Data, Error, Data, QueryKey, string | null>(
    pagesOptions(document, variables, pick),
  )
}

/**
 * `variables` without "after", which is `usePages`' own. `pick` gets the list out of an answer; null: it may not be
 * seen.
 */
export function usePages<Data, Variables extends { after?: string | null | undefined }, Row>(
  document: TypedDocument<Data, Variables>,
  variables: Omit<Variables, 'after'>,
  pick: Pick<Data, Row>,
): Pages<Row> & { readonly lastPage: Data | undefined } {
  const query = useInfiniteQuery<Data, Error, InfiniteData<Data, string | null>, QueryKey, string | null>({
    ...pagesOptions(document, variables, pick),
    placeholderData: keepPreviousData,
  })
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  // `pick` is written in place by callers: it is not what changes rows.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const rows = useMemo(
    () => (data?.pages ?? []).flatMap((page) => pick(page)?.edges.map(({ node }) => node) ?? []),
    [data],
  )
  return {
    rows,
    lastPage: data?.pages.at(-1),
    isLoading: query.isPending,
    error: query.error,
    hasMore: hasNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetching) void fetchNextPage()
    },
    isLoadingMore: query.isFetchingNextPage,
  }
}
