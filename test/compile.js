import { buildTypeScript } from '../native/build.js'

/** Before the tests, and before each run of those that are watched: compiles what they import, unless it is fresh. */
export default function compile(project) {
  buildTypeScript()
  project.onTestsRerun(buildTypeScript)
}
