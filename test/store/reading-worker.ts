import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../src/store/reader.ts'

/** A worker thread that answers each number with the record that stands under it. */
parentPort?.on('message', (ord: number) => {
  const record = openReader(workerData).record(1, ord)
  parentPort?.postMessage(record?.toString() ?? 'nothing')
})
