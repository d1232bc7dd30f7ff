import { join } from 'node:path'

const dist = join(import.meta.dirname, '..', 'dist')

/** Where a file of `src` or `workers`, by its path in the repository, lies compiled. */
export function compiled(source: string): string {
  return join(dist, source.replace(/\.ts$/, '.js'))
}
