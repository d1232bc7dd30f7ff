/** What a unit's bucket decides: whether it is in the test, or which arm it gets. */
export type Purpose = 'inclusion' | 'arm'

export const BUCKETS = 10_000

/**
 * One seed for each purpose, so that being in a test says nothing about the arm: the fractional bits of
 * √2 and √3, as in SHA-256. They are part of the published function and never change.
 */
export const ASSIGNMENT_SEEDS: Readonly<Record<Purpose, number>> = {
  inclusion: 0x6a09e667,
  arm: 0xbb67ae85,
}

/** What assignments follow from. */
export interface AssignmentInput {
  testId: string
  /** The session's userId, else its sessionId. */
  unit: string
  /** Share of all units that are in the test, 0..1. */
  share: number
  /** Share of each arm among the units in the test; they sum to 1. The first arm is control. */
  arms: readonly number[]
}

export interface UnitAssignment {
  inExperiment: boolean
  /** Index of the arm; 0, control, outside the test. */
  arm: number
  /** The bucket that decides the arm, 0..9999; the same whatever the shares are. */
  bucket: number
  /** The bucket that decides whether the unit is in the test. */
  inclusionBucket: number
}

/** A request and its answer, for whoever computes assignments elsewhere. */
export type AssignmentVector = AssignmentInput & UnitAssignment

/** Worked examples of the published function; the documentation prints them and a test holds them. */
export const ASSIGNMENT_VECTORS: readonly AssignmentVector[] = [
  {
    testId: 'search-test-1',
    unit: 'user-1',
    share: 1,
    arms: [0.5, 0.5],
    inExperiment: true,
    arm: 1,
    bucket: 6836,
    inclusionBucket: 4612,
  },
  {
    testId: 'search-test-1',
    unit: 'user-2',
    share: 1,
    arms: [0.5, 0.5],
    inExperiment: true,
    arm: 0,
    bucket: 393,
    inclusionBucket: 5558,
  },
  {
    testId: 'search-test-1',
    unit: 'user-3',
    share: 0.5,
    arms: [0.5, 0.5],
    inExperiment: false,
    arm: 0,
    bucket: 7490,
    inclusionBucket: 9856,
  },
  {
    testId: 'search-test-2',
    unit: 'user-1',
    share: 1,
    arms: [0.5, 0.5],
    inExperiment: true,
    arm: 1,
    bucket: 8378,
    inclusionBucket: 106,
  },
  {
    testId: '018f6e2a-7c11-7d3e-9a40-5b6c7d8e9f00',
    unit: '018f6e2b-0001-7000-8000-000000000001',
    share: 0.1,
    arms: [0.5, 0.5],
    inExperiment: false,
    arm: 0,
    bucket: 3139,
    inclusionBucket: 2671,
  },
  {
    testId: '018f6e2a-7c11-7d3e-9a40-5b6c7d8e9f00',
    unit: '018f6e2b-0001-7000-8000-000000000002',
    share: 1,
    arms: [1 / 3, 1 / 3, 1 / 3],
    inExperiment: true,
    arm: 2,
    bucket: 8063,
    inclusionBucket: 8467,
  },
  {
    testId: 'prüfung',
    unit: 'Zoë ☕',
    share: 1,
    arms: [0.2, 0.3, 0.5],
    inExperiment: true,
    arm: 1,
    bucket: 3802,
    inclusionBucket: 8556,
  },
  {
    testId: 'a:b',
    unit: 'c',
    share: 1,
    arms: [0.9, 0.1],
    inExperiment: true,
    arm: 0,
    bucket: 4650,
    inclusionBucket: 5957,
  },
]

/** The function and its examples in words, for the API document. */
export function describeAssignment(): string {
  const rows = ASSIGNMENT_VECTORS.map((vector) => {
    const { testId, unit, share, arms, inclusionBucket, bucket, inExperiment, arm } = vector
    const shares = arms.map((each) => Number(each.toFixed(4))).join(', ')
    const answer = inExperiment ? `arm ${arm}` : 'outside: arm 0'
    return `| \`${testId}\` | \`${unit}\` | ${share} | ${shares} | ${inclusionBucket} | ${bucket} | ${answer} |`
  })
  return `${FUNCTION}\n\n${COLUMNS}\n${rows.join('\n')}`
}

const hex = (seed: number): string => `0x${seed.toString(16)}`

const FUNCTION = `Assignment is a pure function of the test's id and the unit, which is the session's userId, else the sessionId; the session need not exist.
With h(seed) = MurmurHash3_x86_32 over the UTF-8 bytes of \`testId:unit\`, modulo ${BUCKETS}:

1. h(${hex(ASSIGNMENT_SEEDS.inclusion)}) is the inclusion bucket. The unit is in the test when it is below round(share × ${BUCKETS}), where share is that part of all units which the test takes in. Outside, the answer is the first variant, control, with \`inExperiment: false\`.
2. h(${hex(ASSIGNMENT_SEEDS.arm)}) is the arm bucket, \`bucket\` in the answer. Each variant holds a run of buckets as long as its share of ${BUCKETS} (largest remainder), in the order of the variants; the unit gets the one whose run holds its bucket.

The same unit always gets the same answer; a growing share only adds units, and moves none to another variant. Test vectors:`

const COLUMNS = `| testId | unit | share | shares of the variants | inclusion bucket | arm bucket | answer |
|---|---|---|---|---|---|---|`
