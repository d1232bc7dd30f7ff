import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { type BenchServer, startServer } from '../../bench/server.ts'
import { type Random, randomOf } from '../../bench/synthetic.ts'
import { type Answer, type Keyed, KINDS, type Send } from './keyed.ts'
import { startLanes } from './lanes.ts'

/** How often to kill, and where the draws start. */
export interface RepeatsOptions {
  times: number
  seed: number
  say: (line: string) => void
}

/** What a run came to. `broken` is empty when everything was there exactly once. */
export interface RepeatsReport {
  kills: number
  sent: number
  /** Of these, answered before the kill. */
  answered: number
  /** Without an answer, but done, when they were sent again. */
  lost: number
  /** Refused then, as done before. */
  refused: number
  broken: string[]
  /** The data of the last server; kept only when something is broken. */
  folder: string
}

interface Sent extends Keyed {
  kind: string
  key: string
  answer: Answer | undefined
}

const LANES = 12
const SEND_MS_MAX = 250
/** A folder is left behind in time: some things may be there some hundred times only. */
const KILLS_PER_FOLDER = 40
const BROKEN_MAX = 20
const ENV = { METRIC_SERIES_MAX: '100000', MODEL_TRAINING: 'false' }

/**
 * Kills the server with SIGKILL while POSTs with an Idempotency-Key are under way, sends all of them again to the next
 * one, and counts what they did.
 */
export async function runRepeats(options: RepeatsOptions): Promise<RepeatsReport> {
  const counts = { kills: 0, sent: 0, answered: 0, lost: 0, refused: 0 }
  const report: RepeatsReport = { ...counts, broken: [], folder: '' }
  const random = randomOf(options.seed)
  while (report.kills < options.times && report.broken.length === 0) {
    report.folder = mkdtempSync(join(tmpdir(), 'attune-repeats-'))
    const kills = Math.min(KILLS_PER_FOLDER, options.times - report.kills)
    await oneFolder(report, kills, random, options.say)
    if (report.broken.length === 0) rmSync(report.folder, { recursive: true, force: true })
  }
  report.broken.splice(BROKEN_MAX)
  return report
}

async function oneFolder(
  report: RepeatsReport,
  kills: number,
  random: Random,
  say: RepeatsOptions['say'],
): Promise<void> {
  let before: Sent[] = []
  for (let kill = 0; kill <= kills && report.broken.length === 0; kill++) {
    const server = await startServer({ dataDir: report.folder, env: ENV })
    try {
      const send = openSend(server.url)
      for (const sent of before) await repeat(report, sent, send)
      before = []
      if (kill < kills) {
        // Soon after the start and late, whatever is drawn: of a few kills, some must come behind an answer.
        const sendMs = (SEND_MS_MAX * (kill + random())) / kills
        before = await sendUntilKilled(server, send, { random, sendMs })
      }
    } finally {
      await server.kill()
    }
    if (before.length === 0) continue
    report.kills += 1
    report.sent += before.length
    report.answered += before.filter(({ answer }) => answer !== undefined).length
    const { sent, answered, lost, refused } = report
    say(`kill ${report.kills}: ${JSON.stringify({ sent, answered, lost, refused })} so far`)
  }
}

/** Lanes that send one POST after another, each of a kind of its own; gives all that was sent. */
async function sendUntilKilled(
  server: BenchServer,
  send: Send,
  { random, sendMs }: { random: Random; sendMs: number },
): Promise<Sent[]> {
  const all: Sent[] = []
  const kinds = Object.keys(KINDS)
  const { ended } = startLanes(LANES, () => async () => {
    const kind = kinds[Math.floor(random() * kinds.length)] ?? ''
    // No letter of it is another one's in upper case: types of signals are.
    const stamp = `K${Math.floor(random() * 2 ** 52)}`
    const keyed = await KINDS[kind]?.(stamp, send)
    if (keyed === undefined) return
    const sent: Sent = { ...keyed, kind, key: `key ${stamp}`, answer: undefined }
    all.push(sent)
    sent.answer = await post(sent, send)
  })
  await new Promise((resolve) => setTimeout(resolve, sendMs))
  await server.kill()
  await ended
  return all
}

/** Sends the same again, twice, and looks before and after how often it was done. */
async function repeat(report: RepeatsReport, sent: Sent, send: Send): Promise<void> {
  const { kind, key, answer, once = 1, count = async () => once } = sent
  const complain = (sentence: string) => report.broken.push(`${kind}, ${key}: ${sentence}`)
  const before = await count(send)
  if (before !== 0 && before !== once) complain(`done ${before} times when it was sent once`)
  const again = await post(sent, send)
  if (answer === undefined) {
    if (before > 0 && sent.count !== undefined) report.lost += 1
    if (again.code === 'IDEMPOTENCY_CONFLICT') report.refused += 1
    // Where nothing was done there is nothing to refuse.
    if (again.status !== 200 && (before === 0 || again.status !== 409))
      complain(`done ${before} times, and answered ${again.text}`)
  } else {
    if (before !== once) complain(`answered, and done ${before} times`)
    if (again.text !== answer.text) complain(`answered ${answer.text}, and then ${again.text}`)
  }
  const last = await post(sent, send)
  const isSame = again.status === 200 ? last.text === again.text : last.code === again.code
  if (!isSame) complain(`answered ${again.text}, and then ${last.text}`)
  const after = await count(send)
  if (after !== once) complain(`done ${after} times, ${before} of them before it was sent again`)
}

function post({ path, body, headers, key }: Sent, send: Send): Promise<Answer> {
  return send('POST', path, body, { ...headers, 'idempotency-key': key })
}

function openSend(url: string): Send {
  return async (method, path, body, headers) => {
    const { statusCode, body: stream } = await request(url + path, {
      method: method as 'GET',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await stream.text()
    const { code, data } = text.startsWith('{') ? JSON.parse(text) : {}
    return { status: statusCode, code, data, text }
  }
}
