import { openStore } from '../../src/store/store.ts'

/**
 * Run as a process of its own: opens the store of a folder, says "open" or why not, and then writes rows,
 * naming each only when it was acknowledged, until it is killed.
 */
const [dataDir = ''] = process.argv.slice(2)
const log = { warn: () => {}, error: () => {} }

async function writeForever(store: ReturnType<typeof openStore>): Promise<void> {
  process.stdout.write('open\n')
  for (let first = 0; ; first += 16) {
    const numbers = Array.from({ length: 16 }, (_, n) => first + n)
    await Promise.all(
      numbers.map(async (n) => {
        if (n % 2 === 0) await store.put('meta', `single ${n}`, n)
        else
          await store.write(() => {
            store.tables.meta.put(`whole ${n}`, n)
            store.tables.records.put([1, n], Buffer.alloc(3000, n))
          })
        process.stdout.write(`${n}\n`)
      }),
    )
  }
}

try {
  await writeForever(openStore({ dataDir, bytesMax: 2 ** 30, log }))
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`)
}
