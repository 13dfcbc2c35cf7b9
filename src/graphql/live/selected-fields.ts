/** The fields that a document selects of an object, as graphql-js collects them. */
import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidatedSubscriptionArgs,
} from 'graphql'

export interface SelectedField {
  readonly responseName: string
  readonly name: string
  /** What is selected below it, by each place at which it stands. */
  readonly selectionSets: readonly SelectionSetNode[]
}

type Operation = Pick<ValidatedSubscriptionArgs, 'schema' | 'fragments' | 'variableValues'>

/** In the order of the answer. Null: it is selected in a way that only graphql-js knows. */
export function selectedFields(
  operation: Operation,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): readonly SelectedField[] | null {
  const selection = new Selection(operation, type)
  for (const selectionSet of selectionSets) selection.add(selectionSet)
  const byName = Map.groupBy(selection.fields, ({ name, alias = name }) => alias.value)
  // As the name of a property, it would be none.
  if (!selection.isUnderstood || byName.has('__proto__')) return null
  return [...byName].map(([responseName, alike]) => ({
    responseName,
    name: alike[0]?.name.value ?? responseName,
    selectionSets: alike.flatMap(({ selectionSet }) => selectionSet ?? []),
  }))
}

class Selection {
  readonly fields: FieldNode[] = []
  isUnderstood = true
  readonly #operation: Operation
  readonly #type: GraphQLObjectType
  readonly #spread = new Set<string>()

  constructor(operation: Operation, type: GraphQLObjectType) {
    this.#operation = operation
    this.#type = type
  }

  add({ selections }: SelectionSetNode): void {
    for (const selection of selections) if (this.#isIncluded(selection)) this.#addOne(selection)
  }

  #addOne(selection: SelectionNode): void {
    if (selection.kind === Kind.FIELD) this.fields.push(selection)
    else if (selection.kind === Kind.INLINE_FRAGMENT) this.#addFragment(selection)
    else if (!this.#spread.has(selection.name.value)) this.#addSpread(selection.name.value)
  }

  #addSpread(name: string): void {
    this.#spread.add(name)
    const fragment = this.#operation.fragments[name]
    if (fragment === undefined || fragment.variableSignatures !== undefined) this.isUnderstood = false
    else this.#addFragment(fragment.definition)
  }

  #addFragment({ typeCondition, selectionSet }: InlineFragmentNode | FragmentDefinitionNode): void {
    if (typeCondition === undefined || this.#isOf(typeCondition.name.value)) this.add(selectionSet)
  }

  #isOf(typeName: string): boolean {
    if (typeName === this.#type.name) return true
    const { schema } = this.#operation
    const wanted = schema.getType(typeName)
    return isAbstractType(wanted) && schema.isSubType(wanted, this.#type)
  }

  #isIncluded(selection: SelectionNode): boolean {
    const { directives = [] } = selection
    if (directives.length === 0) return true
    if (directives.some(({ name: { value } }) => value !== 'skip' && value !== 'include')) this.isUnderstood = false
    const { variableValues } = this.#operation
    const skip = getDirectiveValues(GraphQLSkipDirective, selection, variableValues)
    const include = getDirectiveValues(GraphQLIncludeDirective, selection, variableValues)
    return skip?.['if'] !== true && include?.['if'] !== false
  }
}
