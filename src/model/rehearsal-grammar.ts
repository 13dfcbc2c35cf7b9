/** What the rehearsal model understands, for `--help`: one line per rule. README.md says the same. */
export const REHEARSAL_GRAMMAR = `run: <command>   an EXEC task that runs the command
fail:            the next review asks for another plan, once
wait: <ms>       the plan takes that much longer
anything else    is quoted in the answer`
