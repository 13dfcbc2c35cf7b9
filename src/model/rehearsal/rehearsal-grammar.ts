/** What the rehearsal model understands, for `--help`: one line per rule. docs/models.md says the same. */
export const REHEARSAL_GRAMMAR = `run: <command>         an EXEC task that runs the command
skill: <name> <json>   a SKILL task that calls the skill with these arguments
tool: <name> <json>    a TOOL task that calls the tool with these arguments
learn: <text>          a review of the plan learns this: the first such line that of the first task, and so on
note: <text>           the next checkpoint keeps this in mind for the session
secret: KEY=value      a secret that the session keeps while it is in use
answer: <text>         answers the first open question
instead: <text>        with it, what holds in place of the fact that the question is about; without text, the fact holds
facts?                 the answer lists the facts that are known, and the plan says that it relies on all of them
uses: <text>           the answer says that it relies on the facts that contain this text, or on those labelled, as F1 F2
fail: <reason>         the first review asks for another plan, once
wait: <ms>             the plan takes that much longer
silent:                nothing is said
anything else          is quoted in the answer

In a session of mode CHAT there is no plan: run:, skill:, learn: and secret: lines are calls of tools, those below one another at
once, and besides:
think: <text>          is shown as the reasoning

Of what was learned, a text that ends with "?" becomes a question, one that begins with "maybe" is discarded, and everything
else becomes a fact. Facts whose words are the same are merged. Of strangers it says how many words they wrote.`
