import { newId } from '../../ids.ts'

/** Hexadecimal digits at the end of a feedback id that count its entries. */
const COUNT_DIGITS = 4

/** A UUIDv7 whose last 16 bits are zero: what they count up to are the signals of its entries. */
export function feedbackIdAt(timeMs: number): string {
  return `${newId(timeMs).slice(0, -COUNT_DIGITS)}${'0'.repeat(COUNT_DIGITS)}`
}

/** The signal of a request's entry, counted from 0: the feedback id plus 1, plus 2, … */
export function signalIdOf(feedbackId: string, at: number): string {
  const count = (at + 1).toString(16).padStart(COUNT_DIGITS, '0')
  return `${feedbackId.slice(0, -COUNT_DIGITS)}${count}`
}
