import { nearestName } from '../../nearest-name.ts'
import { shownName, TOLD_MAX } from '../../word.ts'

/** A body whose fields are known: what it is, and what its fields are called elsewhere. */
export interface KnownBody {
  is: string
  known: ReadonlySet<string>
  meant: Readonly<Record<string, string>>
}

export function bodyOf(
  is: string,
  { properties }: { properties: object },
  meant: KnownBody['meant'],
): KnownBody {
  return { is, known: new Set(Object.keys(properties)), meant }
}

/** As `unreadFields`, of a part of a body, which lies at `path`. */
export function unreadFieldsAt(path: string, sent: object, body: KnownBody): string[] {
  return unreadFields(sent, body).map((sentence) => `${path}: ${sentence}`)
}

/**
 * A sentence for each name beside the fields of a body. It is ignored, and whoever meant one of the fields should
 * know.
 */
export function unreadFields(sent: object, { is, known, meant }: KnownBody): string[] {
  const unread = Object.keys(sent).filter((name) => !known.has(name))
  return unread.slice(0, TOLD_MAX).map((name) => {
    const other = Object.hasOwn(meant, name) ? meant[name] : nearestName(shownName(name), known)
    const instead = other === undefined ? '.' : `; "${other}" is.`
    return `"${shownName(name)}" is not a field of ${is} and was ignored${instead}`
  })
}
