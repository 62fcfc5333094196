// The figure of a person on the map: the atlas piece that scripts/art draws, in the person's colour.
import { AtlasPiece } from '../atlas-piece'

export function PersonFigure({ color }: { color: string }) {
  return <AtlasPiece piece="onlooker" color={color} class="onlooker" />
}
