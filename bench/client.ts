import { type Connection, openConnection } from './connection.ts'
import { type KindReport, type Latencies, openLatencies } from './latencies.ts'

/** One request, serialised before the run starts; `kind` is the row of the report it counts in. */
export interface Shot {
  bytes: Buffer
  kind: string
}

/** What to send, for how long, and how fast. */
export interface LoadPlan {
  port: number
  host: string
  connections: number
  /** The next request, called once per request in order; undefined ends the run early. */
  next: () => Shot | undefined
  warmupMs: number
  measureMs: number
  /** Requests a second, evenly spaced, whether answers come or not; without it each connection waits for its answer. */
  ratePerSecond?: number
  /** Every so many answers one body is parsed and given to `check`; 0 = never. Default 64. */
  checkEvery?: number
  /** A sentence about what is wrong with a parsed answer, or undefined. */
  check?: (body: unknown, kind: string) => string | undefined
}

/** What came out: `failures` counts each status other than 200, each broken connection and each wrong body. */
export interface LoadReport {
  kinds: KindReport[]
  requests: number
  perSecond: number
  seconds: number
  bodyBytesMean: number
  checked: number
  failures: Record<string, number>
}

interface Run {
  plan: LoadPlan
  latencies: Latencies
  failures: Record<string, number>
  requests: number
  bodyBytes: number
  checked: number
  measureFrom: number
  measureTo: number
  idle: Lane[]
  waiting: { shot: Shot; due: number }[]
  done: () => void
  busy: number
}

interface Lane {
  connection: Connection | undefined
  shot: Shot | undefined
  due: number
}

/** Runs the plan to its end and reports; every latency is kept, so percentiles are exact. */
export async function runLoad(plan: LoadPlan): Promise<LoadReport> {
  const run: Run = {
    plan,
    latencies: openLatencies(),
    failures: {},
    requests: 0,
    bodyBytes: 0,
    checked: 0,
    measureFrom: 0,
    measureTo: 0,
    idle: [],
    waiting: [],
    done: () => undefined,
    busy: 0,
  }
  const lanes = Array.from(
    { length: plan.connections },
    (): Lane => ({ connection: undefined, shot: undefined, due: 0 }),
  )
  await Promise.all(lanes.map((lane) => join(run, lane)))
  await new Promise<void>((resolve) => {
    run.done = resolve
    run.measureFrom = performance.now() + plan.warmupMs
    run.measureTo = run.measureFrom + plan.measureMs
    if (plan.ratePerSecond === undefined) for (const lane of lanes) shoot(run, lane)
    else pace(run, lanes, plan.ratePerSecond)
  })
  for (const lane of lanes) lane.connection?.close()
  return report(run)
}

async function join(run: Run, lane: Lane): Promise<void> {
  lane.connection = await openConnection(run.plan.port, run.plan.host, {
    answered: (answer) => {
      const { shot } = lane
      if (shot === undefined) return
      if (answer.status !== 200) fail(run, `${shot.kind}: status ${answer.status}`)
      else if (answer.body !== undefined) checkBody(run, answer.body, shot)
      record(run, shot, lane.due, answer.bodyBytes)
      release(run, lane)
    },
    failed: (cause) => {
      fail(run, cause.message)
      lane.connection = undefined
      join(run, lane).then(
        () => release(run, lane),
        (error: Error) => {
          fail(run, `gave up a connection: ${error.message}`)
          lane.connection = undefined
          release(run, lane)
        },
      )
    },
  })
}

/** Closed loop: the lane sends its next request as soon as it has its answer. */
function shoot(run: Run, lane: Lane): void {
  const now = performance.now()
  const shot = now < run.measureTo && lane.connection !== undefined ? run.plan.next() : undefined
  if (shot === undefined) {
    if (run.busy === 0) {
      run.measureTo = Math.min(run.measureTo, now)
      run.done()
    }
    return
  }
  send(run, lane, shot, now)
}

function send(run: Run, lane: Lane, shot: Shot, due: number): void {
  const { checkEvery = 64, check } = run.plan
  lane.shot = shot
  lane.due = due
  run.busy += 1
  run.requests += 1
  const keep = check !== undefined && checkEvery > 0 && run.requests % checkEvery === 1 % checkEvery
  lane.connection?.send(shot.bytes, keep)
}

function release(run: Run, lane: Lane): void {
  if (lane.shot !== undefined) run.busy -= 1
  lane.shot = undefined
  if (run.plan.ratePerSecond === undefined) {
    shoot(run, lane)
    return
  }
  const first = run.waiting.shift()
  if (first !== undefined && lane.connection !== undefined) send(run, lane, first.shot, first.due)
  else if (lane.connection !== undefined) run.idle.push(lane)
}

/**
 * Open loop: requests fall due by the clock; what finds no free lane waits, and its waiting counts as latency. Between two
 * requests nothing runs: a timer each millisecond would take a processor from what is measured beside it.
 */
function pace(run: Run, lanes: Lane[], ratePerSecond: number): void {
  run.idle.push(...lanes)
  const start = performance.now()
  let sent = 0
  const dueMs = () => start + (sent * 1000) / ratePerSecond
  const turn = () => {
    const now = performance.now()
    for (; now < run.measureTo && dueMs() <= now; sent++) {
      const shot = run.plan.next()
      const due = dueMs()
      // In turns: the server ends connections that stay idle for ten seconds.
      const lane = run.idle.shift()
      if (shot === undefined) run.measureTo = now
      else if (lane === undefined) run.waiting.push({ shot, due })
      else send(run, lane, shot, due)
    }
    if (now >= run.measureTo && run.busy === 0) run.done()
    else setTimeout(turn, now < run.measureTo ? Math.min(dueMs(), run.measureTo) - now : 1)
  }
  turn()
}

function record(run: Run, shot: Shot, due: number, bodyBytes: number): void {
  const now = performance.now()
  if (due < run.measureFrom || now > run.measureTo) return
  run.latencies.add(shot.kind, now - due)
  run.bodyBytes += bodyBytes
}

function checkBody(run: Run, body: Buffer, shot: Shot): void {
  run.checked += 1
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    fail(run, `${shot.kind}: the body is not JSON`)
    return
  }
  const problem = run.plan.check?.(value, shot.kind)
  if (problem !== undefined) fail(run, `${shot.kind}: ${problem}`)
}

function fail(run: Run, what: string): void {
  run.failures[what] = (run.failures[what] ?? 0) + 1
}

function report(run: Run): LoadReport {
  const seconds = (run.measureTo - run.measureFrom) / 1000
  const kinds = run.latencies.report(seconds)
  const requests = kinds.reduce((sum, kind) => sum + kind.requests, 0)
  return {
    kinds,
    requests,
    perSecond: requests / seconds,
    seconds,
    bodyBytesMean: run.bodyBytes / Math.max(1, requests),
    checked: run.checked,
    failures: run.failures,
  }
}
