/** Rows that one transaction changes: nothing else runs on the main thread meanwhile, so that it has to be short. */
const PORTION_ROWS = 100

/** Has all of them written, one transaction of some rows after the other; ends at the first that fails. */
export async function inPortions<Item>(
  items: readonly Item[],
  write: (portion: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += PORTION_ROWS)
    await write(items.slice(from, from + PORTION_ROWS))
}
