// Picks one value out of a JSON text. Reads one JSON object from stdin, writes the value to stdout; needs nothing but Node.
import { readFileSync } from 'node:fs'
import { resolve, sep } from 'node:path'

const { args, workspace, plan_outputs: outputs } = JSON.parse(readFileSync(0, 'utf8'))

const named = ['json', 'file', 'task'].filter((name) => args[name] !== undefined)
if (named.length !== 1) fail('Give exactly one of the arguments json, file and task.')
const value = pick(parse(read(named[0])), args.path)
console.log(typeof value === 'string' ? value : JSON.stringify(value, null, 2))

function read(name) {
  if (name === 'json') return args.json
  if (name === 'task') return readOutput(args.task)
  const path = resolve(workspace, args.file)
  if (!path.startsWith(workspace + sep)) fail(`${args.file} is not in the workspace.`)
  return readFile(path)
}

function readOutput(number) {
  const entry = outputs.find(({ index }) => index === number)
  if (entry === undefined) fail(`There is no output of a task ${number} before this one.`)
  // A long output is cut here and stands whole in a file of the workspace.
  return entry.file === null ? entry.output : readFile(resolve(workspace, entry.file))
}

function readFile(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    fail(`${path} cannot be read: ${error.message}`)
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    fail(`This is not JSON: ${error.message}`)
  }
}

function pick(value, path) {
  let at = value
  for (const key of path.split('.').filter((part) => part !== '')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) fail(`There is nothing at "${path}".`)
    at = at[key]
  }
  return at
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
