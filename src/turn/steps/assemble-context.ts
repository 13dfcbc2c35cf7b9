/** CONTEXT: what the planner's prompt holds, all of it bounded, however old the session. */
import { mayCall } from '../../core/tool/delegated.ts'
import { skillCall } from '../delegation/may-be-called.ts'
import type { KnownContext, KnownFact, PlannerContext, ReceivedFile, ReplanContext } from '../../agents/agent.ts'
import { currentUser, type CurrentUser } from '../../config/access/current-user.ts'
import { mayUseTool } from '../../config/access/may-use-skill.ts'
import { usableSkills } from '../../execution/skills/usable-skills.ts'
import type { Role } from '../../core/identity.ts'
import { readUploads } from '../../store/intake/intake-upload.ts'
import { reachOfTurn, teachersFor } from '../../knowledge/reach-of-turn.ts'
import { questionFacts } from '../../knowledge/question-facts.ts'
import { selectFacts } from '../../knowledge/select-facts.ts'
import { askSections } from '../hooks/ask-sections.ts'
import { paraphraseMessages } from './paraphrase-messages.ts'
import { failedTask, historyOf, reportOf, whyGivenUp, type PlanState, type TaskState } from '../task/plan-state.ts'
import type { TurnContext } from '../turn-context.ts'

/** That a prompt names. */
const MAX_FILES = 20

type PlanningContext = Pick<
  TurnContext,
  | 'sessionId'
  | 'turn'
  | 'messages'
  | 'dialogue'
  | 'journal'
  | 'signal'
  | 'agents'
  | 'secrets'
  | 'skills'
  | 'tools'
  | 'delegated'
  | 'config'
  | 'database'
  | 'logger'
  | 'plugins'
  | 'home'
  | 'meaningOf'
  | 'commands'
>

/**
 * Records CONTEXT with what was chosen. Rejects when the database is away; a plugin or an embedder that fails is left
 * out.
 */
export async function assembleContext(context: PlanningContext, attempts: readonly PlanState[]): Promise<KnownContext> {
  const { turn, messages } = context
  const config = context.config.current()
  const { settings } = config
  const paraphrased = await paraphraseMessages(context, { again: attempts.length > 0 })
  const user = currentUser(config, turn.userName)
  const facts = turn.saidBefore.hasFacts ? await knownFacts(context, attempts) : []
  const known: Omit<KnownContext, 'pluginSections'> = {
    callerName: turn.userName,
    // A user who was removed meanwhile gets the least; their tasks will be refused one by one.
    callerRole: user?.role ?? 'USER',
    conversationType: turn.conversationType,
    addressed: messages.isAddressed,
    message: messages.content,
    additions: messages.joined.map(({ content, attempt }) => ({ content, whilePlanRan: attempt > 0 })),
    dialogue: context.dialogue,
    summary: turn.saidBefore.summary,
    workingMemory: turn.saidBefore.workingMemory,
    facts,
    questions: turn.saidBefore.questions,
    skills: usableSkills(context.skills, user).filter(({ name }) => mayCall(context.delegated, skillCall(name))),
    tools: user === null ? [] : usableTools(context.tools, user),
    paraphrased,
    secretNames: [...context.secrets.ephemeral().keys()],
    files: await readFiles(context, user?.role ?? 'USER'),
    maxTasks: settings.maxPlanTasks,
    replan: replanContextOf(attempts),
  }
  const plugins = await askSections(context, known)
  // Made ready while the model thinks.
  if (user !== null) context.commands.prepare({ sessionId: context.sessionId, role: user.role })
  // Only now, so that it is committed together with PLANNING, which follows at once.
  context.journal.record([{ type: 'PipelineStep', step: 'CONTEXT', detail: plugins.detail }], plugins.changes)
  return { ...known, pluginSections: plugins.sections }
}

/**
 * What a planner knows besides. Only a first plan is shown what the questions are about: by the next one the message
 * has been read, and outputs of commands stand beside it.
 */
export async function assemblePlanning(
  context: PlanningContext,
  attempts: readonly PlanState[],
): Promise<PlannerContext> {
  const { sessionId, turn, database, config } = context
  const asked = { sessionId, userName: turn.userName, questions: turn.saidBefore.questions }
  const about = attempts.length > 0 ? [] : await questionFacts(database, config.current(), asked)
  return { ...(await assembleContext(context, attempts)), questionFacts: about }
}

/** Exchanges that a message may refer back to: "restart it". */
const EXCHANGES_BEFORE = 2

type KnowingContext = Pick<
  PlanningContext,
  'sessionId' | 'turn' | 'messages' | 'dialogue' | 'secrets' | 'database' | 'config' | 'meaningOf'
>

/** About the message, and less so about the goal that was not reached and what was said before. */
async function knownFacts(
  { sessionId, turn, messages, dialogue, secrets, database, config, meaningOf }: KnowingContext,
  attempts: readonly PlanState[],
): Promise<KnownFact[]> {
  const exchanges = dialogue.exchanges.slice(-EXCHANGES_BEFORE).toReversed()
  const said = exchanges.map((exchange) =>
    [...exchange.messages.map(({ content }) => content), ...exchange.answers.map(({ text }) => text)].join('\n'),
  )
  const goals = attempts.slice(-1).map(({ goal }) => goal)
  const redactor = secrets.redactor()
  const before = [...goals, ...said].map((text) => redactor.redact(text))
  const reach = await reachOfTurn(database, config.current(), { sessionId, userName: turn.userName })
  const teachers = teachersFor(config.current(), turn.userName)
  const maxCount = config.current().settings.factsShown
  const about = redactor.redact(messages.text)
  // What the message refers to may be what it is about.
  const texts = before[0] === undefined ? [about] : [about, `${before[0]}\n${about}`]
  return selectFacts(database, { about, before, reach, teachers, maxCount }, await meaningOf(texts))
}

function usableTools({ tools }: TurnContext['tools'], user: CurrentUser): PlannerContext['tools'] {
  return [...tools.values()]
    .filter(({ name }) => mayUseTool(user, name))
    .map(({ name, description, parameters }) => ({ name, description, parameters }))
}

/** What a USER has sent is not in the workspace of admins (docs/decisions/0025-workspaces.md). */
async function readFiles(
  { turn, messages, database, sessionId }: Pick<TurnContext, 'turn' | 'messages' | 'database' | 'sessionId'>,
  role: Role,
): Promise<ReceivedFile[]> {
  if (!turn.saidBefore.hasFiles && messages.joined.length === 0) return []
  const messageIds = messages.all.map(({ id }) => id)
  const files = await readUploads(database, { sessionId, messageIds, limit: MAX_FILES })
  return files.map(({ byAdmin, ...file }) => ({ ...file, isThere: role === 'USER' || byAdmin }))
}

/**
 * What was done by the plans that the user has broken off one after another: the last of them, and those right before
 * it.
 */
function doneSoFar(attempts: readonly PlanState[]): TaskState[] {
  const lastFailed = attempts.findLastIndex((attempt) => failedTask(attempt) !== null)
  return attempts.slice(lastFailed + 1).flatMap(({ tasks }) => tasks.filter(({ status }) => status !== 'SKIPPED'))
}

/** What the planner must know of the attempts before; null for the first plan. */
function replanContextOf(attempts: readonly PlanState[]): ReplanContext | null {
  const last = attempts.at(-1)
  if (last === undefined) return null
  const failed = failedTask(last)
  const skipped = last.tasks.filter((task) => task.status === 'SKIPPED')
  const completed = failed === null ? doneSoFar(attempts) : last.tasks.filter((task) => task.index < failed.index)
  return {
    completed: completed.map(reportOf),
    remaining: skipped.map(({ type, detail }) => ({ type, detail })),
    failed: failed === null ? null : reportOf(failed),
    reason: whyGivenUp(last),
    history: historyOf(attempts),
  }
}
