/** Whom a fact is shown, or will be. */
import type { FactScope } from '../../generated/graphql.ts'
import { Badge } from '../../ui/display/badge.tsx'

export interface Scoped {
  readonly scope: FactScope
  readonly scopeOf: string | null
}

export function ScopeBadge({ of: { scope, scopeOf } }: { readonly of: Scoped }) {
  return (
    <Badge>
      <span className="foreign">{scopeText(scope, scopeOf)}</span>
    </Badge>
  )
}

function scopeText(scope: FactScope, of: string | null): string {
  switch (scope) {
    case 'GLOBAL':
      return 'for everybody'
    case 'PROJECT':
      return `for the project ${of}`
    case 'USER':
      return `for ${of} alone`
    case 'SESSION':
      return 'for its session'
  }
}
