import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../src/store/store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { waitUntil } from '../wait-until.ts'
import { temporaryStore } from './open.ts'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

interface Child {
  process: ChildProcess
  lines: string[]
}

function startChild(dataDir: string): Child {
  const child = spawn(process.execPath, ['--import', 'tsx', file('child.ts'), dataDir])
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return { process: child, lines }
}

async function kill({ process }: Child): Promise<void> {
  const ended = once(process, 'close')
  process.kill('SIGKILL')
  await ended
}

/** A thread's first file can't be TypeScript: this loads the loader, and then the file. */
function startWorker(dataDir: string): Worker {
  const entry = JSON.stringify(file('reading-worker.ts'))
  const source = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${entry}) })`
  const worker = new Worker(source, { eval: true, workerData: dataDir })
  onTestFinished(() => void worker.terminate())
  return worker
}

describe('a process that is killed while it writes', () => {
  it('leaves every acknowledged write, whole, and a folder that opens at once', async () => {
    const dataDir = temporaryFolder()
    for (let round = 1; round <= 3; round++) {
      const child = startChild(dataDir)
      await waitUntil(() => child.lines.length > 200 * round)
      await kill(child)
      expect(child.lines.shift()).toBe('open')
      const store = openStore({ dataDir, bytesMax: 2 ** 30, log: { warn() {}, error() {} } })
      const { meta, records } = store.tables
      for (const line of child.lines.slice(0, -1)) {
        const n = Number(line)
        if (n % 2 === 0) expect(meta.get(`single ${n}`)).toBe(n)
        else expect(records.peek([1, n])?.equals(Buffer.alloc(3000, n))).toBe(true)
      }
      // Halves of a write never stand alone, acknowledged or not.
      const whole = [...meta.keys({ start: 'whole ', end: 'whole!' })].map((key) =>
        Number(key.slice(6)),
      )
      expect(whole.sort((a, b) => a - b)).toEqual([...records.keys()].map(([, n]) => n))
      await store.close()
    }
  })
})

describe('two processes on one folder', () => {
  it('the second is refused with a sentence that names the first, which works on', async () => {
    const dataDir = temporaryFolder()
    const first = startChild(dataDir)
    await waitUntil(() => first.lines.length > 10)
    const second = startChild(dataDir)
    await waitUntil(() => second.lines.length > 0)
    expect(second.lines).toEqual([
      `The data folder is in use by process ${first.process.pid}; stop it or choose another DATA_DIR.`,
    ])
    const before = first.lines.length
    await waitUntil(() => first.lines.length > before + 10)
    await kill(first)
    // The dead one's claim counts for nothing.
    const third = startChild(dataDir)
    await waitUntil(() => third.lines.length > 10)
    await kill(third)
  })
})

describe('a worker thread', () => {
  it('reads what was acknowledged before it was asked, and its end disturbs nobody', async () => {
    const dataDir = temporaryFolder()
    const store = temporaryStore({ dataDir })
    const worker = startWorker(dataDir)
    const ask = async (ord: number): Promise<string> => {
      worker.postMessage(ord)
      return (await once(worker, 'message'))[0]
    }
    expect(await ask(0)).toBe('nothing')
    for (let ord = 0; ord < 200; ord++) {
      await store.put('records', [1, ord], Buffer.from(`record ${ord}`))
      expect(await ask(ord)).toBe(`record ${ord}`)
    }
    await worker.terminate()
    await store.put('records', [1, 1000], Buffer.from('after'))
    expect(store.tables.records.get([1, 1000])?.toString()).toBe('after')
    const next = startWorker(dataDir)
    next.postMessage(1000)
    expect((await once(next, 'message'))[0]).toBe('after')
  })

  it('between two jobs keeps no old pages from being used again', async () => {
    const dataDir = temporaryFolder()
    const store = temporaryStore({ dataDir })
    const worker = startWorker(dataDir)
    worker.postMessage(-1)
    await once(worker, 'message')
    await store.put('records', [1, 1], Buffer.alloc(100_000))
    const { fileBytes } = store.figures()
    for (let n = 0; n < 100; n++) await store.put('records', [1, 1], Buffer.alloc(100_000, n))
    expect(store.figures().fileBytes - fileBytes).toBeLessThan(1_000_000)
  })
})
