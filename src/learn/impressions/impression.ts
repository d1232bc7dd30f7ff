import { type DocumentKey, documentOf } from '../../schema/document-key.ts'
import type { Impression, ReplayRecord, StoredImpression } from '../facts.ts'
import { decodeEarlier, isEarlier } from './earlier-layouts.ts'
import { readFeatures, readFound } from './found.ts'

/*
 * An impression as bytes, numbers little-endian: what the main thread knew of the search before it ran, and what the
 * worker found. Neither has to tell the other what it knows.
 *
 * | offset | bytes | what |
 * |---|---|---|
 * | 0 | 4 | the layout, 0x80000003 |
 * | 4 | 4 | length of the head, unsigned |
 * | 8 | 4 | length of the replay record, unsigned |
 * | 12 | … | the head: what was known of the impression, as JSON |
 * | … | … | what a replay needs, as JSON |
 * | … | … | what was found: see found.ts |
 */
const LAYOUT = 0x8000_0003
const START_BYTES = 12

/** What is known of a search before it runs, as JSON, and what it found, as bytes. */
export interface ImpressionParts {
  head: string
  replay: string
  found: Uint8Array
}

/** Puts an impression together in memory that `room` gives. */
export function encodeImpression(
  { head, replay, found }: ImpressionParts,
  room: (bytes: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  const text = head + replay
  const textBytes = Buffer.byteLength(text)
  const isAscii = textBytes === text.length
  const headBytes = isAscii ? head.length : Buffer.byteLength(head)
  const bytes = room(START_BYTES + textBytes + found.length)
  bytes.writeUInt32LE(LAYOUT, 0)
  bytes.writeUInt32LE(headBytes, 4)
  bytes.writeUInt32LE(textBytes - headBytes, 8)
  bytes.write(text, START_BYTES, isAscii ? 'latin1' : 'utf8')
  bytes.set(found, START_BYTES + textBytes)
  return bytes
}

/** Reads what was shown, and nothing else: the bytes may change afterwards. */
export function readShown(bytes: Uint8Array): Impression {
  const buffer = bufferOf(bytes)
  return isEarlier(buffer) ? decodeEarlier(buffer).impression : readImpression(buffer)
}

/** Who searched, in a third of the time that the rest takes. */
export function readWho(bytes: Uint8Array): Pick<Impression, 'unit' | 'sessionId'> {
  const buffer = bufferOf(bytes)
  if (isEarlier(buffer)) return decodeEarlier(buffer).impression
  return readHead(buffer, placesOf(buffer).replayStart)
}

/** Reads an impression; `bytes` must stay as they are for as long as features or replay may be asked for. */
export function decodeImpression(bytes: Uint8Array): StoredImpression {
  const buffer = bufferOf(bytes)
  if (isEarlier(buffer)) return decodeEarlier(buffer)
  const { replayStart, foundStart } = placesOf(buffer)
  return {
    impression: readImpression(buffer),
    features: () => readFeatures(buffer, foundStart),
    replay: () => readReplay(buffer.toString('utf8', replayStart, foundStart)),
  }
}

/** What was added is written as names and values (see `AddedScores`), or as it is read. */
function readReplay(json: string): ReplayRecord {
  const { addedTo, addedValues, ...record } = JSON.parse(json) as ReplayRecord & {
    addedTo?: DocumentKey[]
    addedValues?: string
  }
  if (addedTo === undefined) return record
  const values = Buffer.from(addedValues ?? '', 'base64')
  const added = addedTo.map((key, at): [number, string, number] => {
    const { indexId, id } = documentOf(key)
    return [indexId, id, values.readDoubleLE(8 * at)]
  })
  return { ...record, added }
}

function placesOf(bytes: Buffer): { replayStart: number; foundStart: number } {
  const replayStart = START_BYTES + bytes.readUInt32LE(4)
  return { replayStart, foundStart: replayStart + bytes.readUInt32LE(8) }
}

function readImpression(bytes: Buffer): Impression {
  const { replayStart, foundStart } = placesOf(bytes)
  return readFound(readHead(bytes, replayStart), bytes, foundStart)
}

function readHead(bytes: Buffer, end: number): Partial<Impression> {
  return JSON.parse(bytes.toString('utf8', START_BYTES, end))
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
