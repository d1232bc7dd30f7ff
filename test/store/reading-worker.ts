import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../src/store/reader.ts'

/**
 * A worker thread that answers each number with the record that stands under it. After a number below 0 it waits
 * for two seconds as the pool's threads wait for their next job, without turning its event loop.
 */
parentPort?.on('message', async (ord: number) => {
  const record = openReader(workerData).record(1, Math.abs(ord))
  parentPort?.postMessage(record?.toString() ?? 'nothing')
  if (ord >= 0) return
  await undefined
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
})
