// Announces each message to screen readers when the message is closed. Messages that were closed before the transcript
// was opened are not announced.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../net/protocol.gen'
import { words } from '../../words'
import { cut } from '../cut'

/** The maximum number of characters of a message that are announced. */
const ANNOUNCED = 300

export function Announcer({ messages }: { messages: readonly Message[] }) {
  const [said, setSaid] = useState({ id: '', text: '' })
  const closed = useRef<string | null>(null)
  const last = messages.findLast((m) => m.status !== 'open')
  useEffect(() => {
    const before = closed.current
    closed.current = last?.messageId ?? ''
    if (before !== null && last && last.messageId !== before)
      setSaid({ id: last.messageId, text: words.transcript.announced(last.name, cut(last.content, ANNOUNCED)) })
  }, [last])
  return (
    <div class="visually-hidden" role="log" aria-live="polite">
      {messages.some((m) => m.messageId === said.id && m.content !== '') ? said.text : ''}
    </div>
  )
}
