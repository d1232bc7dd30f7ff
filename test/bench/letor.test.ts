import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { gradedNdcg, readJudgedLists, selectQueries } from '../../bench/letor.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})

function write(rows: string[], groups: number[]): void {
  writeFileSync(join(folder, 'some.gz'), gzipSync(`${rows.join('\n')}\n`))
  writeFileSync(join(folder, 'some.query'), `${groups.join('\n')}\n`)
}

describe('judged lists', () => {
  it('have 0 where a line names no value', () => {
    write(['2 0:0.5 2:1', '0 1:3', '1 '], [2, 1])
    const lists = readJudgedLists(folder, 'some')
    expect(lists.width).toBe(3)
    expect([...lists.features]).toEqual([0.5, 0, 1, 0, 3, 0, 0, 0, 0])
    expect([...lists.labels]).toEqual([2, 0, 1])
    expect(readJudgedLists(folder, 'some', 5).width).toBe(5)
  })

  it('are refused when groups and rows do not fit', () => {
    write(['1 0:1'], [2])
    expect(() => readJudgedLists(folder, 'some')).toThrow('counts 2 rows')
  })

  it('can be taken apart by queries', () => {
    write(['1 0:1', '2 0:2', '3 0:3'], [1, 1, 1])
    const chosen = selectQueries(readJudgedLists(folder, 'some'), [2, 0])
    expect([...chosen.features]).toEqual([3, 1])
    expect([...chosen.labels]).toEqual([3, 1])
  })
})

describe('NDCG with graded gains', () => {
  const lists = (labels: number[], groups: number[]) => ({
    width: 1,
    features: new Float32Array(labels.length),
    labels: Float32Array.from(labels),
    groups: Uint32Array.from(groups),
  })

  it('agrees with a value worked out by hand', () => {
    // found: gains 1, 7, 0; ideal: 7, 1, 0
    const found = (1 + 7 / Math.log2(3)) / (7 + 1 / Math.log2(3))
    expect(gradedNdcg(lists([3, 1, 0], [3]), [0.5, 0.9, 0.1], 10)).toBeCloseTo(found, 12)
    expect(gradedNdcg(lists([3, 1, 0], [3]), [0.5, 0.9, 0.1], 1)).toBeCloseTo(1 / 7, 12)
  })

  it('counts 1 for a query without relevant documents and keeps the order of equal scores', () => {
    expect(gradedNdcg(lists([0, 0, 1, 0], [2, 2]), [0, 0, 0, 0], 10)).toBe(1)
    expect(gradedNdcg(lists([0, 0, 0, 1], [2, 2]), [0, 0, 0, 0], 1)).toBe(0.5)
  })
})
