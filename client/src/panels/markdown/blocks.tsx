// The blocks of parsed Markdown.
import type { Token } from 'marked'
import { Block } from './block'

export function Blocks({ blocks }: { blocks: Token[] }) {
  return (
    <>
      {blocks.map((token, i) => (
        <Block key={i} token={token} />
      ))}
    </>
  )
}
