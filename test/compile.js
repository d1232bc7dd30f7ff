import { BuildError, buildTypeScript } from '../native/build.js'

/** Before the tests, and before each run of those that are watched: compiles what they import, unless it is fresh. */
export default function compile(project) {
  try {
    buildTypeScript()
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    // Vitest would say below the mistakes that it found no tests, with a stack.
    process.stderr.write(`\n${error.message}\n`)
    process.exit(1)
  }
  project.onTestsRerun(buildTypeScript)
}
