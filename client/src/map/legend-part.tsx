// A part of the legend: drawings with what they mean.
import type { ComponentChildren } from 'preact'
import { AtlasPiece } from './atlas-piece'

export interface LegendRow {
  /** The name of the drawing in the atlas. */
  piece: string
  name: string
  text: string
}

interface Props {
  title: string
  text?: string
  rows: readonly LegendRow[]
  /** Paragraphs below the drawings, of a sentence or two each. */
  after?: readonly string[]
  children?: ComponentChildren
}

export function LegendPart({ title, text, rows, after = [], children }: Props) {
  return (
    <section>
      <h3>{title}</h3>
      {text && <p class="quiet">{text}</p>}
      {children}
      <dl>
        {rows.map((r) => (
          <div key={r.piece}>
            <dt>
              <AtlasPiece piece={r.piece} class="legend-piece" />
              {r.name}
            </dt>
            <dd class="quiet">{r.text}</dd>
          </div>
        ))}
      </dl>
      {after.map((sentence) => (
        <p key={sentence} class="quiet">
          {sentence}
        </p>
      ))}
    </section>
  )
}
