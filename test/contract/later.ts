/**
 * What the contract with frontends (api.graphql) promises and the schema does not have yet, by the work that will bring
 * it. A name is "Type", "Type.field", "Type.field(argument)" or "Enum.VALUE"; a type stands for all that is in it. The
 * contract test fails when something is missing that does not stand here, and when something stands here that is there.
 */
export const LATER = {
  plugins: ['PipelineStep.COMMANDS'],
} as const satisfies Record<string, readonly string[]>
