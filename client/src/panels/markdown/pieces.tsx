// A Markdown text in pieces that are parsed separately.
import { useMemo } from 'preact/hooks'
import { Plain } from '../plain'
import { pieces, read } from './read'
import { Blocks } from './blocks'

export function Pieces({ text }: { text: string }) {
  const list = useMemo(() => pieces(text).map((piece) => read(piece) ?? piece), [text])
  return (
    <>
      {list.map((blocks, i) =>
        typeof blocks === 'string' ? <Plain key={i} text={blocks} /> : <Blocks key={i} blocks={blocks} />,
      )}
    </>
  )
}
