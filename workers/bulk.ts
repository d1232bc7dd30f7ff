import { type WriteInput, type WriteReport, write } from './write.ts'

/** One batch behind which others would wait long: written like a small one, on threads that small ones do not need. */
export function bulk(input: WriteInput): WriteReport {
  return write(input)
}
