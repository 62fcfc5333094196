// Asks the server by HTTP and reads its answer as JSON or as text.

/** The time limit of a request, in milliseconds. It is longer than the server's own. */
const TIMEOUT_MS = 25_000

/** An answer; null if the request was aborted. failed: the server's error message, or "" without one. */
export type Answer<T> = { got: T } | { failed: string } | null

/** Asks for a text, such as a report. */
export function askText(url: string, stop: AbortSignal): Promise<Answer<string>> {
  return ask(url, stop, {}, (answer) => (answer.ok ? answer.text() : answer.json()))
}

export async function ask<T>(
  url: string,
  stop: AbortSignal,
  how: RequestInit = {},
  read = (answer: Response): Promise<unknown> => answer.json(),
): Promise<Answer<T>> {
  try {
    const answer = await fetch(url, { ...how, signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]) })
    const body: unknown = await read(answer)
    if (answer.ok) return { got: body as T }
    return { failed: (body as { message?: string }).message ?? '' }
  } catch {
    return stop.aborted ? null : { failed: '' }
  }
}
