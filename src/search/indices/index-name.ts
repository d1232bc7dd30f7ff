import { invalid, type ServiceError, serviceError } from '../../errors.ts'

const NAME_BYTES_MAX = 255

/** Throws VALIDATION_FAILED when an index can't have this name, which was sent as `path`. */
export function refuseMisnamed(name: string, path: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw invalid(path, problem)
}

/** What is wrong with a name for an index, as the end of a sentence; undefined when nothing is. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty'
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return `must be at most ${NAME_BYTES_MAX} bytes`
  if (name !== name.toLowerCase()) return 'must be lower case'
  if (/^[_\-+]/.test(name)) return 'must not start with _, - or +'
  if (/[\\/*?"<>|,#\s]/.test(name)) return 'must have none of \\ / * ? " < > | , # or a space'
  if (name === '.' || name === '..') return 'must not be one dot or two'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'must have no control characters'
  return undefined
}

/** INDEX_EXISTS, and what could be done instead. */
export function nameTaken(instead = ''): ServiceError {
  return serviceError('INDEX_EXISTS', `An index of this name exists already${instead}.`, {
    details: [{ path: 'name', message: `is taken${instead}` }],
  })
}
