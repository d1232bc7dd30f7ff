import { native } from './native.ts'

/**
 * Ends the process with an exit code, once whoever listens for its end has been told. Node would wait for its own threads
 * first, also for one that is within a transaction of the store whose part in JavaScript will never run: it would never
 * end, nor could a signal end it. What is on the disk is whole at any moment.
 */
export function endProcess(code: number): never {
  // The last one to listen: what others have to write is written.
  process.on('exit', () => native.endProcess(code))
  process.exit(code)
}
