import type { Route } from '../http/route.ts'
import * as searchTests from './cortex/ab-test.ts'
import * as analytics from './cortex/analytics.ts'
import * as changedDocument from './cortex/changed-document.ts'
import * as documents from './cortex/documents.ts'
import * as feedback from './cortex/feedback.ts'
import { cortexHealth } from './cortex/health.ts'
import * as indices from './cortex/indices.ts'
import { metricsPage } from './cortex/metrics-text.ts'
import * as search from './cortex/search.ts'
import * as sessions from './cortex/sessions.ts'
import * as adaptations from './nous/adaptations.ts'
import * as events from './nous/events.ts'
import * as experiments from './nous/experiments.ts'
import { nousHealth } from './nous/health.ts'
import * as models from './nous/models.ts'
import * as patterns from './nous/patterns.ts'
import * as searches from './nous/searches.ts'
import * as signals from './nous/signals.ts'
import { forgetSubject } from './nous/subjects.ts'
import { docs, livez, openApi, readyz } from './operations.ts'

/** The whole public surface, in the order of the table in docs/routes.md. */
export const routes: readonly Route[] = [
  search.search,
  search.searchByQuery,
  search.suggest,
  documents.createDocument,
  documents.createDocumentInIndex,
  documents.bulkDocuments,
  documents.getDocument,
  changedDocument.putDocument,
  changedDocument.patchDocument,
  documents.deleteDocument,
  indices.createIndex,
  indices.putIndex,
  indices.listIndices,
  indices.getIndex,
  indices.deleteIndex,
  sessions.createSession,
  sessions.findSession,
  sessions.readSession,
  sessions.readSessionAnalytics,
  cortexHealth,
  nousHealth,
  metricsPage,
  livez,
  readyz,
  openApi(() => routes),
  docs,
  feedback.sendFeedback,
  feedback.readFeedback,
  analytics.recordEvent,
  analytics.readReports,
  analytics.recordMetric,
  searchTests.createSearchTest,
  searchTests.assignSearchTest,
  searchTests.listSearchTests,
  searchTests.getSearchTest,
  searchTests.pauseSearchTest,
  searchTests.resumeSearchTest,
  searchTests.stopSearchTest,
  searches.readSearch,
  searches.replaySearch,
  signals.processSignal,
  signals.createSignal,
  signals.listSignals,
  forgetSubject,
  events.listLearningEvents,
  events.learningMetrics,
  patterns.feedbackPatterns,
  patterns.searchPatterns,
  models.syncModel,
  models.listModels,
  models.getModel,
  models.activateModel,
  models.rollBackModel,
  models.trainModel,
  models.judgeModel,
  adaptations.suggestAdaptation,
  adaptations.listSuggestions,
  adaptations.listRules,
  adaptations.createRule,
  adaptations.applyAdaptation,
  adaptations.listAdaptations,
  adaptations.getAdaptation,
  adaptations.rollBackAdaptation,
  experiments.createExperiment,
  experiments.listExperiments,
  experiments.getExperiment,
  experiments.activateExperiment,
  experiments.deactivateExperiment,
  experiments.stopExperiment,
  experiments.recordExperimentResult,
]
