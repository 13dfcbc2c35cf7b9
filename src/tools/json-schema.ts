/** JSON as tools speak it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }
/** Arguments of a call, and schemas of them. */
export type JsonObject = { readonly [key: string]: JsonValue }
