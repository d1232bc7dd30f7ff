import { expect, it } from 'vitest'
import { ifSent, listFilter } from '../../../src/learn/wire/list-filter.ts'

interface Row {
  color: string
  size: number
}

interface Query {
  color?: string
  size?: number
  order?: string
  limit?: number
}

const filterBy = (color?: string, size?: number) =>
  listFilter<Row, Query, 'order'>({
    color: ifSent(color, (row, asked) => row.color === asked),
    size: ifSent(size, (row, asked) => row.size >= asked),
  })

it('wants the rows for which all holds that is asked', () => {
  const isWanted = filterBy('red', 2)
  const rows = [
    { color: 'red', size: 2 },
    { color: 'red', size: 1 },
    { color: 'blue', size: 3 },
  ]
  expect(rows.filter((row) => isWanted?.(row))).toEqual([{ color: 'red', size: 2 }])
})

it('wants to be told of every parameter that is declared', () => {
  // @ts-expect-error: nobody reads the size
  listFilter<Row, Query, 'order'>({ color: undefined })
})

it('is no filter where nothing is asked, and one where only nothing would do', () => {
  expect(filterBy()).toBeUndefined()
  expect(filterBy('')?.({ color: 'red', size: 1 })).toBe(false)
  expect(filterBy(undefined, 0)?.({ color: 'red', size: 0 })).toBe(true)
})
