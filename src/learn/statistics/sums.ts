/**
 * Running sums over the units of one arm. Each unit counts once, with x, its numerator (clicks), and y,
 * its denominator (searches). Sums of whole numbers are exact, in whatever order they came.
 */
export interface UnitSums {
  units: number
  x: number
  xx: number
  y: number
  yy: number
  xy: number
}

/** What one unit has counted so far. A metric that is a mean over units has y = 1. */
export interface UnitCounts {
  x: number
  y: number
}

export const NO_UNITS: UnitSums = { units: 0, x: 0, xx: 0, y: 0, yy: 0, xy: 0 }

/** The sums with one more unit. */
export function addUnit(sums: UnitSums, unit: UnitCounts): UnitSums {
  return withUnit(sums, unit, 1)
}

/** The sums without a unit that is in them: a forgotten one. */
export function subtractUnit(sums: UnitSums, unit: UnitCounts): UnitSums {
  return withUnit(sums, unit, -1)
}

/** The sums over the units of both, which have none in common. */
export function joinSums(one: UnitSums, other: UnitSums): UnitSums {
  return {
    units: one.units + other.units,
    x: one.x + other.x,
    xx: one.xx + other.xx,
    y: one.y + other.y,
    yy: one.yy + other.yy,
    xy: one.xy + other.xy,
  }
}

/** The sums after a unit in them has counted more: `before` is what it had when it was last added. */
export function updateUnit(sums: UnitSums, before: UnitCounts, after: UnitCounts): UnitSums {
  return addUnit(subtractUnit(sums, before), after)
}

function withUnit(sums: UnitSums, { x, y }: UnitCounts, sign: 1 | -1): UnitSums {
  return {
    units: sums.units + sign,
    x: sums.x + sign * x,
    xx: sums.xx + sign * x * x,
    y: sums.y + sign * y,
    yy: sums.yy + sign * y * y,
    xy: sums.xy + sign * x * y,
  }
}
