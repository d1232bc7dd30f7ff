/** Vectors of recent queries; the least recently asked goes first. */
export interface QueryCache {
  /** The vectors of `texts`, asking `embed` for those that aren't known, each once. */
  through: (
    texts: readonly string[],
    embed: (missing: string[]) => Promise<Float32Array[]>,
  ) => Promise<Float32Array[]>
}

export function openQueryCache(queriesMax: number): QueryCache {
  const vectors = new Map<string, Float32Array>()

  function keep(text: string, vector: Float32Array): void {
    vectors.delete(text)
    vectors.set(text, vector)
    for (const oldest of vectors.keys()) {
      if (vectors.size <= queriesMax) break
      vectors.delete(oldest)
    }
  }
  return {
    through: async (texts, embed) => {
      const found = new Map<string, Float32Array>()
      const missing = new Set<string>()
      for (const text of texts) {
        const vector = vectors.get(text)
        if (vector === undefined) missing.add(text)
        else found.set(text, vector)
      }
      if (missing.size > 0) {
        const asked = [...missing]
        const made = await embed(asked)
        asked.forEach((text, at) => {
          const vector = made[at]
          if (vector !== undefined) found.set(text, vector)
        })
      }
      for (const [text, vector] of found) keep(text, vector)
      return texts.flatMap((text) => found.get(text) ?? [])
    },
  }
}
