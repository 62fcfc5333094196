// The card of the person at this page.
import type { You } from '../panels/use-you'
import { YouFields } from '../panels/you-fields'
import { words } from '../words'

export function YouCard({ you }: { you: You }) {
  return (
    <section class="card">
      <h2>{words.setup.you}</h2>
      <YouFields you={you} />
    </section>
  )
}
