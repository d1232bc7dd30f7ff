/**
 * The shapes that the API document names, so that generated clients have types with names: the body and the answer of
 * every route that are objects of their own, and parts of them that are worth a name. Whoever uses a shape imports it
 * from its own file.
 */
export {
  Adaptation,
  AdaptationHistory,
  AdaptationList,
  AdaptationMetrics,
  AdaptationRead,
  RollbackBody,
  RollbackTrigger,
} from './adaptation.ts'
export {
  AnalyticsBody,
  AnalyticsEvent,
  AnalyticsReceipt,
  AnalyticsReceipts,
  AnalyticsReport,
} from './analytics.ts'
export {
  BulkReply,
  BulkRequest,
  CallerVector,
  ChangedDocument,
  CreateDocument,
  CreateDocumentInIndex,
  DocumentRead,
  DocumentSource,
  DocumentWritten,
} from './document.ts'
export { EventList, LearningEvent } from './event.ts'
export {
  AnsweredAssignment,
  AnsweredExperiment,
  AnsweredTest,
  AnsweredVariant,
  AssignmentRequest,
  ExperimentList,
  LearningExperiment,
  Monitoring,
  ReportedExperiment,
  ReportedTest,
  SearchTest,
  TestList,
  Variant,
  VariantMetrics,
} from './experiment.ts'
export {
  ComparisonState,
  GuardrailState,
  InterleavingState,
  SampleRatioState,
  Verdict,
} from './experiment-report.ts'
export { AnsweredResult, ExperimentResult } from './experiment-result.ts'
export { Facet, FacetRange, FacetReply, Facets } from './facet.ts'
export {
  Feedback,
  FeedbackItem,
  FeedbackMetadata,
  FeedbackPage,
  FeedbackReceipt,
  FeedbackRow,
} from './feedback.ts'
export { CortexHealthReport, NousHealthReport } from './health.ts'
export { Replay, ShownSearch } from './impression.ts'
export {
  CreateIndex,
  IndexAnalysis,
  IndexCreated,
  IndexDeleted,
  IndexEmbedder,
  IndexInfo,
  IndexList,
  IndexMappings,
  IndexSettings,
  PutIndex,
  UnopenedIndex,
} from './indices.ts'
export { LearningFigures } from './learning-figures.ts'
export { MetricReceipt, MetricSample } from './metric.ts'
export {
  ModelActivated,
  ModelGated,
  ModelList,
  ModelRollback,
  ModelRolledBack,
  ModelShown,
  ModelSync,
  ModelSynced,
  ModelTrained,
  ModelTraining,
  ModelVersion,
  VersionChoice,
  VersionName,
} from './model.ts'
export { ModelState } from './model-state.ts'
export { Liveness, Readiness } from './operations.ts'
export { FeedbackPatterns, SearchPatterns } from './pattern.ts'
export { HighlightOptions, IndexNames, SearchRequest, Sort } from './search.ts'
export { SearchContext, SearchHit, SearchReply } from './search-reply.ts'
export { SessionAnalytics, SessionCreate, SessionCreated, SessionRead } from './session.ts'
export {
  SignalCreate,
  SignalList,
  SignalMetadata,
  SignalReceipt,
  SignalRow,
  SignalStep,
} from './signal.ts'
export { SubjectForgotten } from './subject.ts'
export { SuggestReply, SuggestRequest } from './suggest.ts'
export {
  Changes,
  Rule,
  RuleCreate,
  RuleList,
  Suggestion,
  SuggestionList,
  SuggestionRead,
  SuggestionTaken,
} from './suggestion.ts'
