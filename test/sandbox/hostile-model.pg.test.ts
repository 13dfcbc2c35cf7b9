/**
 * Models and endpoints that mean harm or are broken, in whole turns, all at the same time: every turn ends with a
 * status that says what happened, its user is told a sentence and admins the reason, nothing runs that no accepted plan
 * holds, and the server is as well as before. What is meant for the planner is given to the other agents too.
 */
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentRole } from '../../src/core/model-call.ts'
import { describeOperatorFailure } from '../../src/core/operator-failure.ts'
import { workspaceName } from '../../src/execution/workspace/workspace.ts'
import { OPERATOR_WORDS } from '../harness/operator-words.ts'
import { converse, Story, storyConfig, type Conversation } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN } from '../model/good-answers.ts'
import { HOSTILE_ANSWERS, type HostileAnswer } from '../model/hostile-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { ServerDocument, TurnDocument } from '../generated/graphql.ts'

/** A hostile answer, and the agent that gets it for every one of its calls in a session. */
interface Scene {
  readonly hostile: HostileAnswer
  readonly role: AgentRole
}

/** What only costs retries and patience does so for every caller: it is played once. */
const PATIENCE = new Set(['MODEL_UNREACHABLE', 'MODEL_OVERLOADED', 'MODEL_SILENT'])
const PLANNER_ANSWERS = HOSTILE_ANSWERS.filter(({ role, outcome }) => role === 'planner' && !PATIENCE.has(outcome))
const AS_MEANT: readonly Scene[] = HOSTILE_ANSWERS.map((hostile) => ({ hostile, role: hostile.role }))
const AS_REVIEWER: readonly Scene[] = PLANNER_ANSWERS.map((hostile) => ({ hostile, role: 'reviewer' }))
const AS_MESSENGER: readonly Scene[] = PLANNER_ANSWERS.map((hostile) => ({ hostile, role: 'messenger' }))
const SCENES = [...AS_MEANT, ...AS_REVIEWER, ...AS_MESSENGER]
const FAILING = AS_MEANT.filter(({ hostile }) => hostile.outcome !== 'answered' || hostile.failsTurn === true)
const HARMLESS = AS_MEANT.filter((scene) => !FAILING.includes(scene))

const PLAYERS = 4
const SETTINGS = {
  max_validation_retries: 1,
  max_replan_depth: 1,
  max_concurrent_turns: PLAYERS,
  max_running_per_user: PLAYERS,
  requests_per_minute: 100_000,
}

let stub: StubEndpoint
let story: Story
/** As Ben sees it, who sent the message and is no admin, and why it failed as Ada is told, who is one. */
type Played = Conversation & { readonly failureForAdmins: string | null }
const turns = new Map<Scene, Played>()

beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerInTurn })
  story = await Story.begin({ config: { settings: SETTINGS, toml: stubProvider(stub) } })
  await playAll(SCENES.filter(({ hostile }) => hostile.silent !== true))
  // Those that end only by the idle limit have a small one, which would cut the others short on a busy machine.
  await story.reconfigure(storyConfig({ settings: { ...SETTINGS, llm_idle_timeout: 0.2 }, toml: stubProvider(stub) }))
  await playAll(SCENES.filter(({ hostile }) => hostile.silent === true))
  await story.reconfigure(storyConfig({ settings: SETTINGS, toml: stubProvider(stub) }))
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

async function playAll(scenes: readonly Scene[]): Promise<void> {
  const play = async (scene: Scene): Promise<void> => {
    const conversation = await converse(story.as('ben'), sessionOf(scene), tagOf(scene))
    const { turn } = await story.as('ada').run(TurnDocument, { id: conversation.id })
    turns.set(scene, { ...conversation, failureForAdmins: turn?.failure ?? null })
  }
  // Side by side, but no more than a small machine carries: this is about hostile answers, not about load.
  const waiting = [...scenes]
  const player = async (): Promise<void> => {
    for (let scene = waiting.shift(); scene !== undefined; scene = waiting.shift()) await play(scene)
  }
  await Promise.all(Array.from({ length: PLAYERS }, player))
}

function sessionOf(scene: Scene): string {
  return `@ben:hostile-${SCENES.indexOf(scene)}`
}

/** How a call is told to belong to a scene: the tag is the message, and the goal of the plan. */
function tagOf(scene: Scene): string {
  return `hostile scene ${SCENES.indexOf(scene)}.`
}

/** The agent of the scene is answered with hostility; the others behave. */
function answerInTurn(call: StubCall): StubAnswer {
  const scene = SCENES[Number(/hostile scene (\d+)\./.exec(call.user)?.[1])]
  if (scene?.role === call.role) return scene.hostile.answer
  if (call.role !== 'planner') return answerWell(call)
  return { content: { ...GOOD_PLAN, goal: scene === undefined ? 'Say hi' : tagOf(scene) } }
}

function turnOf(scene: Scene): Played {
  const turn = turns.get(scene)
  if (turn === undefined) throw new Error(`${scene.hostile.name} was not played`)
  return turn
}

/** Failed, with a reason that the user is told: one line, bounded, a whole sentence. Nothing is left open. */
function problemsOf(scene: Scene): string[] {
  const turn = turnOf(scene)
  const open = turn.tasks.filter(({ status }) => status === 'PENDING' || status === 'RUNNING')
  return [
    ...(turn.status === 'FAILED' && turn.message.status === 'FAILED' ? [] : [`it is ${turn.status}`]),
    ...(turn.step === 'COMPLETE' ? [] : [`it stands at ${turn.step}`]),
    ...[turn.failure, turn.failureForAdmins].flatMap((failure) =>
      /^[^\p{Cc}]{1,3000}\.$/u.test(failure ?? '') ? [] : [`its failure reads: ${failure}`],
    ),
    ...(turn.answers.at(-1) === turn.failure ? [] : ['the user was not told']),
    ...(open.length === 0 ? [] : ['tasks are left open']),
    ...(isForOperators(scene) ? problemsOfSentence(scene) : problemsOfReason(turn)),
    ...operatorWordsIn(JSON.stringify({ ...turn, failureForAdmins: null })),
  ]
}

/**
 * Whether the agent had no answer that could be used; otherwise the plans were refused, and that is the user's to know.
 */
function isForOperators({ hostile, role }: Scene): boolean {
  return role !== hostile.role || (hostile.outcome !== 'refused' && hostile.outcome !== 'answered')
}

/** What could not be done, as admins are told. */
const UNDONE: Readonly<Partial<Record<AgentRole, string>>> = {
  planner: 'The planner could not make a plan. ',
  reviewer: 'The review of task 1 failed. ',
  messenger: 'The messenger could not write the answer. ',
}

/** Why, by outcome, as admins are told. */
const REASONS: Readonly<Partial<Record<HostileAnswer['outcome'], RegExp>>> = {
  MODEL_BAD_OUTPUT:
    /"stub:stub-1".* (cannot be used: |gave no usable answer in 2 tries|was given up: |gave an empty answer|called a tool)/,
  MODEL_BAD_REQUEST: /context_tokens in \[settings\]|redirects to http:.* base_url in \[providers\.stub\]/,
  MODEL_NO_STRUCTURED_OUTPUT: /does not give structured output .* \[models\] planner = /,
  MODEL_OVERLOADED: /"stub" (failed while it worked on the answer|lets no more requests through for now)\./,
  MODEL_QUOTA: /credit or quota at provider "stub" is used up/,
  MODEL_REFUSED: /"stub:stub-1" (refused to answer: I cannot help with that|gave no answer: .* content filter)/,
  MODEL_SILENT: /(nothing came for 0\.2 s|not complete after 2 s)\. The limit is llm_idle_timeout in \[settings\]/,
  MODEL_TRUNCATED: /reached its output limit.* before its answer was complete/,
  MODEL_UNAUTHORIZED: /api_key_env in \[providers\.stub\].* It said: 40[13] /,
  MODEL_UNKNOWN: /no model "stub-1".* It said: 404 /,
  MODEL_UNREACHABLE: /cannot be reached at http:.*\([A-Z_]+\)\.$|"stub:stub-1" broke off: /,
}

/**
 * The user reads a sentence and the reference under which admins find the rest: which agent, which model, and why. In
 * the role that an answer is meant for, the sentence is that of its outcome.
 */
function problemsOfSentence(scene: Scene): string[] {
  const { id, failure, failureForAdmins } = turnOf(scene)
  const { hostile, role } = scene
  const isMeant = role === hostile.role && hostile.outcome !== 'answered' && hostile.outcome !== 'refused'
  const isShown = isMeant
    ? failure === describeOperatorFailure(hostile.outcome, id)
    : new RegExp(`^The (answer of the )?language model [^()]{10,200} \\(reference ${id}\\)\\.$`).test(failure ?? '')
  const reason = failureForAdmins ?? ''
  const undone = UNDONE[role] ?? 'no agent of a turn'
  const why = isMeant ? (REASONS[hostile.outcome] ?? /^no such outcome$/) : /"stub(:stub-1)?"|\[providers\.stub\]/
  const isExplained = reason.startsWith(undone) && why.test(reason)
  return [...(isShown ? [] : [`the user reads: ${failure}`]), ...(isExplained ? [] : [`admins read: ${reason}`])]
}

/** Of a plan that was refused: user and admins read the same. */
function problemsOfReason({ failure, failureForAdmins }: Played): string[] {
  return [
    ...(failure === failureForAdmins ? [] : [`admins read: ${failureForAdmins}`]),
    ...(failure?.includes('(reference ') === true ? [`a reference to nothing: ${failure}`] : []),
  ]
}

/** Addresses, paths and keys of the configuration in what the user can read. */
function operatorWordsIn(text: string): string[] {
  const internal = [new URL(stub.baseUrl).host, story.home, ...OPERATOR_WORDS]
  return internal.filter((word) => text.includes(word)).map((word) => `the user reads of ${word}`)
}

function commandsOf(scene: Scene): string[] {
  return turnOf(scene).tasks.flatMap(({ type, detail }) => (type === 'EXEC' ? [detail] : []))
}

const named = (scenes: readonly Scene[]) => scenes.map((scene) => [scene.role, scene.hostile.name, scene] as const)

describe('a turn with a hostile model', () => {
  test.each(named(FAILING))('fails with a reason that the user is told: %s, %s', (_role, _name, scene) => {
    expect(problemsOf(scene)).toEqual([])
  })

  test.each(named(HARMLESS))('is answered when the answer turns out to be usable: %s, %s', (_role, _name, scene) => {
    expect(turnOf(scene)).toMatchObject({ status: 'DONE', failure: null, message: { status: 'DONE' } })
    expect(turnOf(scene).answers).toHaveLength(1)
  })

  test('never runs a command of a plan that was refused, nor one that no plan holds', async () => {
    const refused = FAILING.filter(({ role }) => role === 'planner')
    expect(refused.flatMap(commandsOf)).toEqual([])
    expect(new Set(SCENES.flatMap(commandsOf))).toEqual(new Set([GOOD_PLAN.tasks[0]?.detail]))
    const workspacesOfRefused = new Set(refused.map((scene) => workspaceName(sessionOf(scene))))
    const workspaces = await readdir(story.path('sessions'))
    expect(workspaces.filter((name) => workspacesOfRefused.has(name))).toEqual([])
  })

  test('fails as well when the reviewer says such things: no plan is a review; the command has run once', () => {
    const wrong = AS_REVIEWER.flatMap((scene) => problemsOf(scene).map((problem) => [scene.hostile.name, problem]))
    expect(wrong).toEqual([])
    expect(AS_REVIEWER.filter((scene) => commandsOf(scene).length !== 1)).toEqual([])
  })

  test('ends when the messenger says such things: with that text, or with a reason why there is none', () => {
    const isAnswered = ({ status, tasks, answers }: Conversation): boolean =>
      status === 'DONE' && tasks.at(-1)?.final === true && answers.length === 1 && answers[0]?.trim() !== ''
    const wrong = AS_MESSENGER.filter((scene) => !isAnswered(turnOf(scene))).flatMap((scene) =>
      problemsOf(scene).map((problem) => [scene.hostile.name, problem]),
    )
    expect(wrong).toEqual([])
  })

  test('leaves a server behind that works', async () => {
    const { server } = await story.as('ada').run(ServerDocument)
    expect(server).toMatchObject({ queuedTurns: 0, runningTurns: 0, nodes: 1 })
    expect((await fetch(`${story.app.url}/ready`)).status).toBe(200)
    const turn = await converse(story.as('ada'), 'cli:afterwards', 'Say hi')
    expect(turn).toMatchObject({ status: 'DONE', answers: ['It printed hi.'] })
  })
})
