/** Types of signals that are known by one spelling; clients may have others. */
export const SIGNAL_TYPES = [
  'SEARCH',
  'IMPRESSION',
  'VIEW',
  'CLICK',
  'CONVERSION',
  'FEEDBACK',
  'PERFORMANCE',
  'MODEL_PERFORMANCE',
  'SYSTEM_HEALTH',
  'SESSION',
] as const
