/** Largest head of a request in bytes: request line and headers. Beyond it the server library answers 431. */
export const HEAD_BYTES_MAX = 32 << 10

// The library reads this once, while it is being loaded, and would take 4096: too little for a cursor in
// an address. So this file is imported before it.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEAD_BYTES_MAX)
