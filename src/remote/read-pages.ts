/** A list of the API, page by page. */

interface Page<Item> {
  readonly edges: readonly { readonly node: Item }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

const PAGE = 100
/** What a person can read at once, and more; the rest is found by a filter. */
const MOST = 1000

/** The first 1000 at most, unless a program wants all; `isCut` where there are more. */
export async function readPages<Item>(
  read: (page: { first: number; after: string | null }) => Promise<Page<Item> | null>,
  { all = false }: { readonly all?: boolean } = {},
): Promise<{ readonly items: readonly Item[]; readonly isCut: boolean }> {
  const items: Item[] = []
  let after: string | null = null
  const most = all ? Infinity : MOST
  while (items.length < most) {
    const page: Page<Item> | null = await read({ first: PAGE, after })
    items.push(...(page?.edges.map(({ node }) => node) ?? []))
    if (page === null || !page.pageInfo.hasNextPage) return { items, isCut: false }
    after = page.pageInfo.endCursor
  }
  return { items, isCut: true }
}
