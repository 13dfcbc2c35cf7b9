/** Takes a value into a statement's parameters and gives its place, such as "$5". */
export type Bind = (value: unknown) => string
