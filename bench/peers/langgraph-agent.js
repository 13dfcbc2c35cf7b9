/**
 * LangGraph's agent: a model and its tools in a loop, the graph that its guide draws. Loaded by both of its servers
 * (langgraph-server.js).
 */
import { SystemMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { modelUrl, runTool, systemPrompt, tools as offered } from './work.js'

const tools = offered.map(({ name, description, schema }) =>
  tool((input) => runTool(name, input), { name, description, schema }),
)
const model = new ChatOpenAI({
  model: 'instant',
  apiKey: 'none',
  configuration: { baseURL: modelUrl },
  streaming: true,
}).bindTools(tools)

const answer = async ({ messages }) => ({
  messages: [await model.invoke([new SystemMessage(systemPrompt), ...messages])],
})

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'answer')
  .addConditionalEdges('answer', toolsCondition, ['tools', END])
  .addEdge('tools', 'answer')
  .compile()
