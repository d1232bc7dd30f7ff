import { randomInt } from 'node:crypto'
import { ID_WORDS, packId, unpackId } from '../../ids.ts'
import type { AddedScores } from '../../schema/plan.ts'
import type { Tuning } from '../../schema/tuning.ts'
import { sizeOfTuning } from './tuning-layers.ts'

/**
 * How many of the lists begun last are kept at least; up to twice as many are. They are dropped a generation at a
 * time, because a map from which the oldest entry is taken out one by one is rehashed all the time.
 */
const LISTS_MIN = 10_000
/**
 * A generation is full with fewer when they hold so much of what applies, in characters. For one query two hundred
 * documents may be named, with up to 512 characters each, and others after every click; changes may name a thousand
 * fields or documents each, and differ with the tests that a user is in.
 */
const CHARACTERS_MAX = 32 << 20
/** As many characters take the room of a field, or a document, that a tuning names. */
const ENTRY_CHARACTERS = 16
/** The same of a test that a list is in. */
const TEST_CHARACTERS = 64

/** What applies to a list, and to all others to which the same does. */
export interface Applied {
  ranking: {
    added: AddedScores
    tuning: Tuning
    experiments: readonly unknown[]
    interleaved: { against: { tuning: Tuning } } | undefined
  }
  /** The generation of lists that its characters were counted in last; 0: in none yet. */
  countedIn: number
}

/** A list that was begun; without `applied` nothing applied to it, and its number is 0. */
export interface KeptList<Of extends Applied> {
  number: number
  applied: Of | undefined
  /** The query id of its first page; known only by its key, and where it was told. */
  queryId?: string | undefined
}

/** The lists that were begun last. */
export interface KeptLists<Of extends Applied> {
  /**
   * Keeps one under what decides it, by `keyOf`, with its first page's query id if that is to be known; returns its
   * number, which counts up from 1, or 0.
   */
  keep: (key: number, applied: Of | undefined, queryId: string | undefined) => number
  /** The one that was begun last under a key. */
  find: (key: number) => KeptList<Of> | undefined
  /** The one with a number from 1 on. */
  numbered: (number: number) => KeptList<Of> | undefined
}

/**
 * Lists that were begun one after the other. Nearly every search begins one, so they stand in tables of numbers that are
 * used again: a text and an object for each would outlive the small collections, which copy what does.
 */
interface Generation<Of extends Applied> {
  size: number
  keys: Float64Array
  /**
   * Lists whose keys share a bucket are chained: the last one of each bucket, and for each list the one before it, by
   * their places from 1.
   */
  last: Int32Array
  before: Int32Array
  numbers: Float64Array
  /** Query ids of their first pages; zeros where none is known. */
  queryIds: Int32Array
  /** What applies to the lists numbered from `first` on. */
  applied: Of[]
  first: number
}

export function openKeptLists<Of extends Applied>(): KeptLists<Of> {
  let young = newGeneration<Of>()
  let old = newGeneration<Of>()
  let generations = 1
  let characters = 0
  /**
   * Names of documents that lists of the young generation hold already, which stay while the values beside them move, and
   * tunings that they share.
   */
  const known = new Set<string | Tuning>()

  function turn(): void {
    const first = young.first + young.applied.length
    ;[young, old] = [old, young]
    young.last.fill(0)
    Object.assign(young, { size: 0, applied: [], first })
    generations += 1
    characters = 0
    known.clear()
  }
  function count(applied: Of): void {
    if (applied.countedIn === generations) return
    applied.countedIn = generations
    const { added, tuning, experiments, interleaved } = applied.ranking
    const { documents, values } = added
    characters += known.has(documents) ? values.length : documents.length + values.length
    known.add(documents)
    characters += TEST_CHARACTERS * experiments.length
    countTuning(tuning)
    if (interleaved !== undefined) countTuning(interleaved.against.tuning)
  }
  function countTuning(tuning: Tuning): void {
    if (known.has(tuning)) return
    known.add(tuning)
    characters += ENTRY_CHARACTERS * sizeOfTuning(tuning)
  }
  return {
    keep: (key, applied, queryId) => {
      const number = add(young, key, applied)
      const place = ID_WORDS * (young.size - 1)
      if (queryId !== undefined) packId(queryId, young.queryIds, place)
      // The tables are used again.
      else young.queryIds.fill(0, place, place + ID_WORDS)
      if (applied !== undefined) count(applied)
      if (young.size === LISTS_MIN || characters >= CHARACTERS_MAX) turn()
      return number
    },
    find: (key) => find(young, key) ?? find(old, key),
    numbered: (number) => {
      const applied = young.applied[number - young.first] ?? old.applied[number - old.first]
      return applied === undefined ? undefined : { number, applied }
    },
  }
}

const BUCKETS = 2 ** 14

function newGeneration<Of extends Applied>(): Generation<Of> {
  return {
    size: 0,
    keys: new Float64Array(LISTS_MIN),
    last: new Int32Array(BUCKETS),
    before: new Int32Array(LISTS_MIN),
    numbers: new Float64Array(LISTS_MIN),
    queryIds: new Int32Array(ID_WORDS * LISTS_MIN),
    applied: [],
    first: 1,
  }
}

function bucketOf(key: number): number {
  return key & (BUCKETS - 1)
}

function add<Of extends Applied>(to: Generation<Of>, key: number, applied: Of | undefined): number {
  const bucket = bucketOf(key)
  const number = applied === undefined ? 0 : to.first + to.applied.length
  if (applied !== undefined) to.applied.push(applied)
  to.keys[to.size] = key
  to.numbers[to.size] = number
  to.before[to.size] = to.last[bucket] as number
  to.size += 1
  to.last[bucket] = to.size
  return number
}

function find<Of extends Applied>(from: Generation<Of>, key: number): KeptList<Of> | undefined {
  for (let place = from.last[bucketOf(key)] as number; place > 0; ) {
    if (from.keys[place - 1] === key) {
      const number = from.numbers[place - 1] as number
      const applied = from.applied[number - from.first]
      return { number, applied, queryId: unpackId(from.queryIds, ID_WORDS * (place - 1)) }
    }
    place = from.before[place - 1] as number
  }
  return undefined
}

/** Nobody who does not know them can find a text that has another one's key. */
const secrets = [randomInt(2 ** 32) | 0, randomInt(2 ** 32) | 0] as const

const encoder = new TextEncoder()
/** A text's bytes, in words of four; room of its own for each would take longer than to reckon its key. */
const ROOM = roomFor(1024)
/** UTF-8 bytes that one UTF-16 unit takes at most. */
const UNIT_BYTES_MAX = 3

function roomFor(bytes: number) {
  const words = new Int32Array(Math.ceil(bytes / 4))
  return { words, bytes: new Uint8Array(words.buffer) }
}

/** What a text is known by, as a whole number of 53 bits: of two different ones by chance never the same. */
export function keyOf(text: string): number {
  // The last word is filled up with what is no text's.
  const most = UNIT_BYTES_MAX * text.length + 3
  const { words, bytes } = most <= ROOM.bytes.length ? ROOM : roomFor(most)
  const { written } = encoder.encodeInto(text, bytes)
  for (let at = written; at % 4 > 0; at += 1) bytes[at] = 0xff
  let [high, low] = secrets
  for (let at = 0; 4 * at < written; at += 1) {
    const word = words[at] as number
    high = Math.imul(high ^ word, 0x85ebca6b)
    high ^= high >>> 15
    low = Math.imul(low ^ word, 0xc2b2ae35)
    low ^= low >>> 13
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0)
}
