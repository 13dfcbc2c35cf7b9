/**
 * Who is shown which field of the session in people-world.ts: every field of every object type, by name. A field that
 * stands nowhere here, or no longer exists, fails the test: whoever adds one decides who sees it.
 */
import type { Caller } from './people-world.ts'

/** What a caller gets: there with something in it, there without anything, or not even a place where it could be. */
export type Outcome = 'shown' | 'hidden'

const INSIDE = ['own', 'within', 'admin'] as const
export const SEEN_BY = {
  /** Belongs to a session: whoever sees that. */
  session: INSIDE,
  /** A webhook's address: the token that set it, and admins. */
  setter: ['within', 'admin'],
  /** Of each user, their own; connectors have none. */
  users: ['own', 'other', 'admin'],
  /** A schedule is its user's. */
  owner: ['own', 'admin'],
  admins: ['admin'],
  /** Tells nothing of anybody else. */
  everybody: ['own', 'other', 'within', 'outside', 'admin'],
  /** Comes as the answer to a mutation alone (root-fields.pg.test.ts). */
  mutations: [],
  /** Comes by subscription alone (test/stories/people.pg.test.ts). */
  subscriptions: [],
} as const satisfies Record<string, readonly Caller[]>

export type Rule = keyof typeof SEEN_BY

const FIELDS: Readonly<Record<Rule, Readonly<Record<string, string>>>> = {
  session: {
    ActiveTurn: 'plan progress step turn',
    AgentText: 'at author content final id seq task turn',
    Author: 'actor name role trusted',
    Approval:
      'createdAt decidedAt decidedBy expiresAt id kind note reason remembered scope session status task turn viewerCan',
    ApprovalActions: 'decide edit',
    ApprovalConnection: 'edges',
    ApprovalEdge: 'cursor node',
    ApprovalEvent: 'approval at seq session sessionId turn turnId',
    CheckpointEvent: 'at checkpointTrigger failure ok seq session sessionId turn turnId',
    Connector: 'name',
    Delegation:
      'allowedTools answer budgetShare child createdAt depth expect expiresAt failure feedback finishedAt id parentTask round session status task turn',
    DelegationConnection: 'edges',
    DelegationEdge: 'cursor node',
    DelegationEvent: 'at delegation seq session sessionId turn turnId',
    FormerUser: 'name',
    ServerPart: 'name',
    Stranger: 'name',
    ConversationConnection: 'edges pageInfo',
    ConversationEdge: 'cursor node',
    Delivery: 'attempts deliveredAt id lastError lastStatusCode nextAttemptAt session status task url viewerCan',
    DeliveryActions: 'redeliver',
    Fact: 'content createdAt id invalidatedAt learning number replacedBy reviewedAt scope scopeOf session source updatedAt useCount usedBy validFrom validTo version viewerCan',
    FactActions: 'edit invalidate merge restore revert review',
    Learning:
      'content createdAt decidedAt decidedBy fact flags held id number question reason scope scopeOf session source status task turn user viewerCan',
    LearningActions: 'ask discard promote reopen',
    FileReceivedEvent: 'at file seq session sessionId turn turnId',
    Message:
      'attachments content createdAt id idempotencyKey mentioned queuePosition role session status trusted turn user viewerCan',
    MessageActions: 'edit withdraw',
    MessageConnection: 'edges pageInfo',
    MessageEdge: 'cursor node',
    MessageReceivedEvent: 'at entry message seq session sessionId turn turnId',
    MessageUpdatedEvent: 'at entry message seq session sessionId turn turnId',
    Notice: 'at author content id seq task turn',
    PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
    PersonMessage: 'at author content id message seq turn',
    PluginEvent: 'at data name plugin seq session sessionId turn turnId',
    PipelineStepEvent: 'at detail seq session sessionId step turn turnId',
    Plan: 'attempt createdAt goal id replanReason secretNames tasks turn',
    PlanCreatedEvent: 'at plan seq session sessionId turn turnId',
    PublishedFile: 'contentType createdAt expiresAt fileId name size url',
    Query: 'approvals delegations fact learning message node session sessions task tasks turn',
    Question: 'answer content createdAt id resolvedAt resolvedBy session source status viewerCan',
    QuestionActions: 'resolve',
    QueuedMessage: 'message position',
    Review: 'learning reason verdict',
    ReviewEvent: 'at learning reason seq session sessionId task taskId turn turnId verdict',
    Session:
      'activeTurn approvals busyPolicy children connector conversation createdAt delegation description descriptionSource events files forkedFrom forkedSeq id instructions lastActivityAt lastMessagePreview lastSeq messageCount messages metadata mode model openedBy parent participants questions queueLength source status summary tasks timeZone turnCount turns usage view viewerCan workingMemory',
    SessionActions: 'addParticipant checkpoint delete hide leave removeParticipant send update',
    SessionConnection: 'edges',
    SessionEdge: 'cursor node',
    SessionEventConnection: 'edges pageInfo',
    SessionEventEdge: 'cursor node',
    SessionFile: 'contentType createdAt expiresAt name origin size url user',
    SessionFileConnection: 'edges pageInfo',
    SessionFileEdge: 'cursor node',
    SessionSource: 'interactive kind platform triggerId type',
    SessionUpdatedEvent: 'at erased seq session sessionId turn turnId',
    SessionView: 'activeTurn approvals questions queue queueLength status usage version',
    Task: 'approval args delegation deliveries detail durationMs exitCode expect files final finishedAt id index output plan review session skill startedAt status stderr suppressed tool truncated turn type',
    TaskConnection: 'edges pageInfo',
    TaskEdge: 'cursor node',
    TaskOutputEvent: 'at seq session sessionId stream task taskId text turn turnId',
    TaskUpdateEvent: 'at seq session sessionId task taskId taskStatus turn turnId',
    TextCompletedEvent: 'at attempt content entry final seq session sessionId task taskId turn turnId',
    TaskProgressEvent: 'at done progressMessage seq session sessionId task taskId total turn turnId',
    ThinkingEvent: 'at content delta isWhole seq session sessionId thinkingId turn turnId',
    TextDeltaEvent: 'at delta seq session sessionId task taskId turn turnId',
    Turn: 'answer cancelRequested commandsHandled durationMs factsShown factsUsed failure finishedAt firstSeq id joined joinedInto lastSeq message mode pausedAt pausedReason plans retriedAs retryOf session startedAt status step tasks usage viewerCan',
    TurnActions: 'cancel retry',
    TurnCompletedEvent:
      'at commandsHandled durationMs failure message seq session sessionId turn turnId turnStatus usage',
    TurnConnection: 'edges pageInfo',
    TurnEdge: 'cursor node',
    TurnPausedEvent: 'at pausedReason seq session sessionId turn turnId until',
    TurnProgress: 'done output task total',
    UploadedFile: 'contentType createdAt name size user',
    Usage: 'cachedTokens calls cost inputTokens outputTokens',
    User: 'id name role',
  },
  setter: {
    Session: 'webhook',
  },
  users: {
    Query: 'tools',
    Tool: 'argsSchema name source summary toolEffect',
    Budget: 'costPerDay costUsed resetsAt tokensPerDay tokensUsed usedUp user',
    Viewer: 'budget',
  },
  owner: {
    Query: 'facts schedules',
    FactConnection: 'edges',
    FactEdge: 'cursor node',
    Schedule:
      'content createdAt cron enabled failures id lastError lastRun mode name nextRunAt pausedReason runAt runs timeZone updatedAt user viewerCan',
    ScheduleActions: 'delete trigger update',
    ScheduleConnection: 'edges',
    ScheduleEdge: 'cursor node',
    ScheduleRun: 'dueAt failure finishedAt id schedule session startedAt status triggered turn',
    ScheduleRunConnection: 'edges pageInfo',
    ScheduleRunEdge: 'cursor node',
    Account: 'allSkills declared formerNames identities skills tools',
    PlatformIdentity: 'connector identity',
    User: 'account',
  },
  admins: {
    AccessDeniedAudit: 'actor at count denialReason field id kind sessionId tokenName turnId',
    AuditCheck: 'complete entryCount head lateCount problem sealCount',
    AuditSeal: 'hash number sealedAt',
    ApprovalAudit:
      'actor after approvalId at before id kind note scope sessionId approvalStatus taskId tokenName turnId',
    AuditEntryConnection: 'edges pageInfo',
    AuditEntryEdge: 'cursor node',
    ConfigAudit: 'actor at configChange configDetail id kind sessionId tokenName turnId',
    DeliveryAudit:
      'actor at attempts deliveryId id kind sessionId deliveryStatus statusCode taskId tokenName turnId url',
    DeliveryConnection: 'edges pageInfo totalCount',
    DeliveryEdge: 'cursor node',
    DiffPart: 'kind text',
    Fact: 'changeId diff history replaces reviewedBy',
    Learning: 'changeId repeatsFact repeatsLearning replacesFact similarFacts similarTo',
    Question: 'facts learning',
    FactVersion: 'at change changeId changedBy content reason version',
    KnowledgeAudit: 'actor at knowledgeChange id kind reason sessionId subjectId tokenName turnId',
    LearningConnection: 'edges pageInfo totalCount',
    LearningGroup: 'learnings problem text',
    LearningEdge: 'cursor node',
    ModelCallAudit:
      'actor at cachedTokens callMs cost id inputTokens kind model outcome outputTokens provider role sessionId texts tokenName turnId',
    ModelCallConnection: 'edges pageInfo',
    ModelCallEdge: 'cursor node',
    ModelCallTexts: 'answer prompt system',
    McpServer: 'enabled name problem reach target toolCount',
    // The shortest way to one is through the audit; that of a session's usage is the session's.
    Money: 'amount currency',
    Query:
      'audit auditCheck budgets configuration deliveries learningGroups learnings mcpServers modelCalls nodes plugin plugins questions rankedTurns secrets skillProblems skills tokens toolProblems usage usageByDay users',
    QuestionConnection: 'edges pageInfo totalCount',
    QuestionEdge: 'cursor node',
    Plugin:
      'calls commands crashes createdAt description enabled eventsLeftOut failures hooks id instructs lastError lastErrorAt name origin position release secretSettings settings settingsSchema status title tools updatedAt version',
    PluginConnection: 'edges pageInfo',
    PluginEdge: 'cursor node',
    ReviewAudit: 'actor at hasLearning id kind sessionId taskId tokenName turnId verdict',
    SessionAudit: 'actor at sessionChange sessionDetail id kind sessionId tokenName turnId',
    // Users see those that they may use; these may use none.
    Skill: 'argsSchema name summary version',
    SkillProblem: 'folder message',
    ToolProblem: 'problem source',
    Token: 'createdAt declared expiresAt id kind lastUsedAt name namespace user',
    TokenConnection: 'edges pageInfo',
    TokenEdge: 'cursor node',
    UserConnection: 'edges pageInfo',
    UserEdge: 'cursor node',
    TaskAudit:
      'actor at detail durationMs id kind outputLength sessionId taskStatus suppressed taskId taskType tokenName turnId',
    UsageOfDay: 'day key usage',
    UsageRow: 'key usage',
    BudgetConnection: 'edges pageInfo',
    BudgetEdge: 'cursor node',
    Configuration: 'declaredTokens declaredUsers inEffect loadedAt problems providers refusedAt warnings',
    DeploySecret: 'name source wantedBy',
    DeploySecretConnection: 'edges pageInfo',
    DeploySecretEdge: 'cursor node',
    SecretUse: 'kind name required',
    ServerProcess: 'host lastBeatAt nodeId runningTurns sessions startedAt status version',
  },
  everybody: {
    ApprovalConnection: 'pageInfo totalCount',
    DelegationConnection: 'pageInfo totalCount',
    FactConnection: 'pageInfo totalCount',
    ScheduleConnection: 'pageInfo totalCount',
    SessionConnection: 'pageInfo totalCount',
    CronFirings: 'firesAt problem',
    Query: 'cronFirings server viewer',
    RoleModel: 'model provider role',
    Sandbox: 'available fix reason',
    Server: 'database models nodes queuedTurns rehearsal runningTurns sandbox startedAt version',
    Token: 'expiresAt lastUsedAt namespace',
    Viewer: 'allowedSkills namespace ownNamespace role tokenKind tokenName user',
  },
  mutations: {
    AddParticipantPayload: 'session',
    AppendMessagePayload: 'duplicate message',
    CancelTurnPayload: 'turn',
    CheckModelPayload: 'callMs failure followsSchema inputTokens model outcome outputTokens provider role',
    CheckpointSessionPayload: 'session',
    CreateLinkCodePayload: 'expiresAt linkCode',
    CreateTokenPayload: 'secret token',
    CreateUserPayload: 'user',
    ConflictRefusal: 'code current problem reason',
    DecideApprovalPayload: 'approval',
    DecideApprovalsPayload: 'results',
    DeleteSchedulePayload: 'deletedScheduleId',
    DeleteSessionPayload: 'deletedSessionId',
    EditQueuedMessagePayload: 'message',
    EraseUserPayload: 'factIds messageCount session',
    ForkSessionPayload: 'created session',
    InputIssue: 'path problem',
    InvalidInputRefusal: 'code issues problem',
    LinkIdentityPayload: 'user',
    LimitExceededRefusal: 'code limit problem retryAfterMs used',
    NotFoundRefusal: 'code missingId problem',
    MergeUsersPayload: 'user',
    OpenSessionPayload: 'created session',
    RedeemLinkCodePayload: 'user',
    ReloadSecretsPayload: 'names',
    RemoveUserPayload: 'removedUserId',
    RestartPluginPayload: 'plugin',
    RetryTurnPayload: 'duplicate turn',
    RevokeTokenPayload: 'revokedTokenId',
    SendMessagePayload: 'duplicate linkedTo message',
    TriggerSchedulePayload: 'run schedule',
    UnlinkIdentityPayload: 'user',
    UpdatePluginPayload: 'plugin',
    UpdateUserPayload: 'user',
    UpdateSessionPayload: 'session',
    CreateFactPayload: 'fact',
    EditFactPayload: 'fact',
    MergeFactsPayload: 'fact',
    InvalidateFactPayload: 'fact',
    RestoreFactPayload: 'fact',
    RevertFactPayload: 'fact',
    ReviewFactPayload: 'fact',
    UndoChangePayload: 'facts',
    SetFactScopePayload: 'fact',
    SetFactScopesPayload: 'results',
    ScopedFact: 'factId result',
    DisputeFactPayload: 'fact',
    PromoteLearningPayload: 'learning',
    AskLearningPayload: 'learning',
    DiscardLearningPayload: 'learning',
    ReopenLearningPayload: 'learning',
    DecideLearningPayload: 'learning',
    DecideLearningsPayload: 'results',
    LearningDecision: 'learningId result',
    CreateQuestionPayload: 'question',
    ResolveQuestionPayload: 'question',
    CreateSchedulePayload: 'schedule',
    UpdateSchedulePayload: 'schedule',
    RedeliverPayload: 'delivery',
    RedeliverAllPayload: 'redelivered',
    RemoveParticipantPayload: 'session',
    WithdrawMessagePayload: 'message',
  },
  subscriptions: {
    ApprovalUpdate: 'approval readList',
    AuditUpdate: 'entry readList',
    DeliveryUpdate: 'delivery readList',
    FactUpdate: 'fact readList',
    LearningUpdate: 'learning readList',
    PluginUpdate: 'plugin readList',
    QuestionUpdate: 'question readList',
    ScheduleUpdate: 'readList schedule',
    SessionUpdate: 'readList session',
    SessionSnapshot: 'at removedUpTo seq session sessionId turn turnId',
  },
}

/** Not compared: they differ by what the machine can do, and by who asks. */
const DIFFERENT: Readonly<Record<string, string>> = {
  // There when something is wrong alone.
  AuditCheck: 'problem',
  CronFirings: 'problem',
  Sandbox: 'fix reason',
  // Who acted in the examples is one of these alone.
  Connector: 'name',
  FormerUser: 'name',
  ServerPart: 'name',
  Stranger: 'name',
  // Ben may use no skill and was nobody else; his token does not expire.
  Account: 'formerNames skills tools',
  // There are some only after a bad edit of the file.
  Configuration: 'problems providers refusedAt warnings',
  // Null for one that is missing.
  DeploySecret: 'source',
  Schedule: 'runAt',
  // All sources of tools are there, and none is an MCP server.
  Query: 'mcpServers toolProblems',
  McpServer: 'enabled name problem reach target toolCount',
  ToolProblem: 'problem source',
  Skill: 'version',
  Token: 'expiresAt lastUsedAt namespace',
  Viewer: 'allowedSkills namespace user',
}

/** By "Type.field". */
export const RULES: ReadonlyMap<string, Rule> = new Map(
  Object.entries(FIELDS).flatMap(([rule, types]) =>
    Object.entries(types).flatMap(([type, fields]) =>
      fields.split(' ').map((field) => [`${type}.${field}`, rule as Rule] as const),
    ),
  ),
)

export const EXEMPT: ReadonlySet<string> = new Set(
  Object.entries(DIFFERENT).flatMap(([type, fields]) => fields.split(' ').map((field) => `${type}.${field}`)),
)
