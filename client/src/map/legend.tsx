// The legend of the map: what its marks, heroes, buildings and colours mean, and the heroes whose camps stand in each
// kind of land. What people ask first comes first.
import { useApp } from '../panels/context'
import { SeverityMark } from '../panels/severity-mark'
import { useSelect } from '../panels/use-select'
import { WORST_FIRST } from '../state/findings'
import type { Model } from '../state/model'
import { fortName } from '../state/select'
import { join } from '../words'
import { findingWords } from '../words-findings'
import { legendWords as w } from '../words-legend'
import { LegendPart } from './legend-part'
import './legend.css'

export function Legend() {
  const app = useApp()
  const lands = useSelect(() => landsOf(app.model), [app])
  return (
    <div class="legend" data-testid="legend">
      <LegendPart title={w.marks} rows={w.mark}>
        <p class="legend-severities">
          {w.severity}{' '}
          {WORST_FIRST.map((s) => (
            <span key={s}>
              <SeverityMark severity={s} /> <span aria-hidden="true">{findingWords.severity[s]}</span>
            </span>
          ))}
        </p>
      </LegendPart>
      <LegendPart title={w.heroes} rows={w.hero} />
      <LegendPart title={w.buildings} rows={w.building} />
      <LegendPart title={w.room} text={w.roomText} rows={w.things} />
      <LegendPart
        title={w.land}
        text={w.landText}
        rows={lands.map(({ id, names }) => ({
          piece: `ground.${id}.0`,
          name: w.lands[id],
          text: names.length > 0 ? w.nearest(join(names)) : w.nobodys,
        }))}
        after={[w.bare, w.light, w.roads]}
      />
    </div>
  )
}

type Land = keyof typeof w.lands

/** Each kind of land, with the names of the heroes whose camps stand in it. */
function landsOf(m: Model): { id: Land; names: string[] }[] {
  const r = m.realm
  const forts = r?.world.forts.map((f) => ({ biome: f.biome, name: fortName(r, f) })) ?? []
  return (Object.keys(w.lands) as Land[]).map((id) => ({
    id,
    names: forts.filter((f) => f.biome === id && f.name !== '').map((f) => f.name),
  }))
}
