/** What an address asks to be sent along as `user:password@`, as an Authorization header has it; no client sends it by itself. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return `Basic ${Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64')}`
}

/** A `%` that escapes nothing stands for itself. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
