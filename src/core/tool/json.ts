/** JSON as values: what tools are called with and described by. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }
/** Arguments of a call, and schemas of them. */
export type JsonObject = { readonly [key: string]: JsonValue }
