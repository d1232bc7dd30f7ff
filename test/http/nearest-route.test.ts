import { expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { openNearestRoute } from '../../src/http/nearest-route.ts'
import { mountPoints } from '../../src/http/paths.ts'

const nearestRoute = openNearestRoute(mountPoints(routes))

it.each([
  ['POST', '/api/cortex/serach', 'POST /api/cortex/search'],
  ['GET', '/api/cortex/serach', 'GET /api/cortex/search'],
  ['PUT', '/api/cortex/serach', 'GET or POST /api/cortex/search'],
  ['POST', '/api/cortx/document', 'POST /api/cortex/documents'],
  ['POST', '/api//Cortex/Search/', 'POST /api/cortex/search'],
  ['POST', '/api/search', 'POST /api/cortex/search'],
  ['POST', '/search', 'POST /api/cortex/search'],
  ['POST', '/cortex/search', 'POST /api/cortex/search'],
  ['GET', '/api/documents/7', 'GET /api/cortex/documents/{id}'],
  ['POST', '/api/nous/adaptations/a%2Fb/rolback', 'POST /api/nous/adaptations/{id}/rollback'],
  ['GET', '/livz', 'GET /livez'],
  ['GET', '/api/redyz', 'GET /api/readyz'],
])('%s %s most likely means %s', (method, path, nearest) => {
  expect(nearestRoute(method, path)).toBe(nearest)
})

it.each([
  '/',
  '/api',
  '/api/cortex',
  '/favicon.ico',
  '/api/cortex/products',
  '/api/cortex/documents/a/b',
  `/api/${'cortex/'.repeat(2000)}`,
])('%s means no route', (path) => {
  expect(nearestRoute('GET', path)).toBeUndefined()
})
