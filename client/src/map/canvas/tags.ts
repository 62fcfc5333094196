// Which names, counts and speech bubbles are shown at which zoom, and where. Pure.
import type { Fort, MapChange, Part, Room, RoomObject, Site } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { fortName } from '../../state/select'
import { count, words } from '../../words'
import { bubbleBox, within } from './bubble-place'
import type { HeroNow } from './heroes-now'
import type { Tag } from './overlay'
import type { Pick as Picked } from './picking'
import { siteOf } from './terrain'
import { hasTwoLines, NAME_LINE, nameWidth, thingNames, type Heading } from './thing-names'
import { linesOf } from './wrap'
import { declutter, meets, type Box, type Detail, type Label, type Screen, type Size } from './view'

/** speaker: the box of the hero that says the text. clear: boxes over which the text is not shown. */
type Ranked = Tag & { rank: number; speaker?: Box; clear?: readonly Box[] }
type Project = (x: number, y: number) => { x: number; y: number }

const LINE = 18
/** The minimum distance between two names, in CSS pixels. */
const GAP = 2
/**
 * Heroes that stand closer together than this number of tiles hide one another, so their names are listed in one
 * column.
 */
const CLOSE = 0.75
const LETTER = 7
/** A difference in CSS pixels that nobody sees, but larger than the error of a sum of positions. */
const ROUNDING = 0.01
/** The width of a bubble in CSS pixels. A longer text wraps. */
const BUBBLE = 220
/** The height of a bubble with one line, in CSS pixels. */
const ONE = LINE + 10
/** The width of a bubble in addition to its text, in CSS pixels: the space at both sides and the border. */
const PADDING = 20
/** A group of files with at least INDEXED rows has guide letters at the left of each row, at most GUIDE letters. */
const INDEXED = 3
const GUIDE = 6
/**
 * If a hero's name is shown within this distance of the hero's own camp, in CSS pixels, the name of the camp is
 * omitted.
 */
const HOME: Size = { width: 180, height: 90 }
/** The kinds of names that move so that the edge of the screen does not cut them. */
const WHOLE: ReadonlySet<Tag['kind']> = new Set(['site', 'fort', 'hero', 'door', 'part', 'object', 'hovered', 'marked'])
/** The kinds of names that also stay within the walls of their room, since outside nobody could read them. */
const WITHIN: ReadonlySet<Tag['kind']> = new Set(['part', 'object', 'hovered', 'marked'])
/** The kinds of names that are shown only if their thing is on the screen, because they stand below it. */
const BELOW: ReadonlySet<Tag['kind']> = new Set(['object', 'hovered', 'marked'])
/** The kinds of names of which two lines stand one below the other in the height of a tile. */
const LOW: ReadonlySet<Tag['kind']> = new Set(['object', 'part'])
/**
 * The kinds of names that must not cover a hero that stands, and how far a name of each kind can be moved aside, in CSS
 * pixels. The name of a file stays near its file.
 */
const ASIDE: Readonly<Partial<Record<Tag['kind'], number>>> = { part: 400, door: 60, object: 40, row: 0 }
/**
 * A thing outside of the screen has a bubble, or a name that the edge of the screen must not cut, if it is at most this
 * many CSS pixels away from the screen.
 */
const NEAR = 24

function lower(p: { x: number; y: number }, by: number): { x: number; y: number } {
  return { x: p.x, y: p.y + by }
}

function shortened(name: string, most: number): string {
  const letters = [...name]
  return letters.length > most ? letters.slice(0, most - 1).join('') + '…' : name
}

function widthOf(text: string): number {
  return text.length * LETTER + 12
}

/** A range of x, in CSS pixels. */
interface Range {
  left: number
  right: number
}

/**
 * Chooses the labels to show and places the bubbles. heroes: the boxes of the heroes that stand. Boxes of walking
 * heroes are left out, so that a hero that walks past a bubble does not move the bubble. walls: the room. A guide
 * letter for which it has no space is omitted.
 */
function placed(tags: readonly Ranked[], screen: Screen, heroes: readonly Box[], walls?: Range): Tag[] {
  const inside = { left: Math.max(0, walls?.left ?? 0), right: Math.min(screen.width, walls?.right ?? Infinity) }
  const fits = (t: Ranked) => t.kind !== 'row' || moved(t.x, widthOf(t.text), inside) === t.x
  const seen = tags.filter((t) => fits(t) && ((t.kind !== 'speech' && !WHOLE.has(t.kind)) || isNear(t, screen)))
  const covered = [...heroes]
  const labels = seen.map((t): Label & { tag: Tag } => {
    if (t.kind === 'speech') {
      const box = speechBox(t, screen, covered)
      covered.push(box)
      const [x, width] = [(box.left + box.right) / 2, box.right - box.left]
      const height = box.bottom - box.top
      const most = height > ONE ? { width } : {}
      return { id: t.id, x, y: box.top, width, height, rank: t.rank, tag: { ...t, x, y: box.bottom, ...most } }
    }
    const width = t.kind === 'object' ? nameWidth(t.text.length) : widthOf(t.text)
    const range = WITHIN.has(t.kind) ? inside : { left: 0, right: screen.width }
    const tag = { ...t, x: WHOLE.has(t.kind) ? moved(t.x, width, range) : t.x }
    const height = LOW.has(t.kind) ? NAME_LINE - 2 : LINE
    const label = { id: t.id, x: tag.x, y: t.y, width, height, rank: t.rank, tag }
    return t.clear ? { ...label, avoid: t.clear } : { ...label, ...clearOf(heroes, label, t.kind, screen) }
  })
  return declutter(labels, screen).map(({ tag, x }) => ({ ...tag, x }))
}

/**
 * The heroes that the name l must not cover, and the nearest places beside these heroes to which the name can be moved.
 * The heading of a group of files moves only to the right.
 */
function clearOf(heroes: readonly Box[], l: Label, kind: Tag['kind'], screen: Size): Pick<Label, 'avoid' | 'asides'> {
  const most = ASIDE[kind]
  if (most === undefined) return {}
  const avoid = heroes.filter((b) => meets(b, l.x - l.width / 2 - most, l.y, l.width + 2 * most, l.height))
  const half = l.width / 2
  const asides = avoid
    .flatMap((b) => [b.right + GAP + half, b.left - GAP - half])
    .filter((x) => Math.abs(x - l.x) <= most && (kind !== 'part' || x > l.x))
    .filter((x) => x >= half && x <= screen.width - half)
  asides.sort((a, b) => Math.abs(a - l.x) - Math.abs(b - l.x))
  return { avoid, asides }
}

/** The x of the middle of a name, moved into a range so that the name is whole. */
function moved(x: number, width: number, { left, right }: Range): number {
  return width > right - left ? x : Math.min(right - width / 2, Math.max(left + width / 2, x))
}

function speechBox({ text, x, y, speaker }: Ranked, screen: Screen, covered: readonly Box[]): Box {
  const sized = (most: number): Size => {
    const width = Math.min(BUBBLE, most, text.length * LETTER + PADDING)
    return { width, height: LINE * linesOf(text, Math.floor((width - PADDING) / LETTER)) + ONE - LINE }
  }
  if (speaker) return bubbleBox({ ...speaker, foot: speaker.bottom + LINE }, sized, screen, covered)
  const { width, height } = sized(BUBBLE)
  return within({ left: x - width / 2, right: x + width / 2, top: y - height, bottom: y }, screen)
}

/**
 * Whether a thing is on the screen or close to it. One farther away has neither bubble nor name, because nobody could
 * see whose they are.
 */
function isNear({ kind, x, y }: Tag, screen: Size): boolean {
  const by = BELOW.has(kind) ? 0 : NEAR
  return x > -by && y > -NEAR && x < screen.width + by && y < screen.height + NEAR
}

/** The box on the screen that a hero covers, without its name. */
function heroBox({ x, y }: HeroNow, project: Project): Box {
  const [from, to] = [project(x, y - 1.2), project(x + 1, y + 1)]
  return { left: from.x, right: to.x, top: from.y, bottom: to.y }
}

function standing(heroes: readonly HeroNow[], project: Project): Box[] {
  return heroes.filter((h) => !h.moving).map((h) => heroBox(h, project))
}

/** The bubble of a hero that speaks. */
function bubble(h: HeroNow, project: Project): Ranked[] {
  if (!h.says) return []
  const head = project(h.x + 0.5, h.y - 1.2)
  return [
    {
      id: `says ${h.id}`,
      kind: 'speech',
      text: h.says,
      color: h.color,
      ...head,
      speaker: heroBox(h, project),
      rank: 100,
    },
  ]
}

/** The names of heroes that are visible in houses, each with the file that the hero visited last. */
function indoorTags(r: RealmModel, open: readonly HeroNow[], project: Project): Ranked[] {
  return open.map((h) => {
    const target = r.world.agents.find((a) => a.id === h.id)?.walk?.target ?? ''
    const file = target.slice(target.lastIndexOf('/') + 1)
    const text = file === '' ? shortened(h.name, 18) : `${shortened(h.name, 18)}: ${shortened(file, 20)}`
    return { id: heroId(h.id), kind: 'hero', text, color: h.color, ...project(h.x + 0.5, h.y + 1), rank: 70 }
  })
}

/**
 * The labels of the country: names of houses where there is space, names of heroes when zoomed in, and all bubbles.
 * open: the heroes that are visible in houses; their labels have the name of their file.
 */
export function countryTags(
  r: RealmModel,
  heroes: readonly HeroNow[],
  counts: ReadonlyMap<string, number>,
  lod: Detail,
  project: Project,
  screen: Screen,
  open: readonly HeroNow[] = [],
  hover: Picked | null = null,
): Tag[] {
  const outside = heroes.filter((h) => h.room === null)
  const named = outside.filter((h) => lod === 'near' || (hover?.kind === 'hero' && hover.id === h.id))
  const tags = [
    ...indoorTags(r, open, project),
    ...open.flatMap((h) => bubble(h, project)),
    ...r.world.country.sites.flatMap((s) => siteTags(r, s, counts.get(s.path) ?? 0, project)),
    ...(lod === 'far' ? [] : r.world.forts.map((f) => fortTag(r, f, project))),
    ...heroTags(named, 60, project),
    ...outside.flatMap((h) => bubble(h, project)),
    ...houseBubbles(r, heroes, open, project),
  ]
  return withoutDoubles(placed(tags, screen, standing([...outside, ...open], project)))
}

/** The name of a house, and how many heroes are in it. */
function siteTags(r: RealmModel, s: Site, here: number, project: Project): Ranked[] {
  const keep = s.path === ''
  const text = shortened(keep ? r.world.realm.name : s.name, 24)
  const rank = keep ? 80 : 40 + Math.min(20, Math.log2(1 + s.files))
  const name: Ranked = { id: `site ${s.path}`, kind: 'site', text, ...project(s.doorX + 0.5, s.doorY + 1), rank }
  if (here === 0) return [name]
  const door = project(s.doorX + 1.6, s.doorY - 0.6)
  return [name, { id: `count ${s.path}`, kind: 'count', text: count(here), ...door, rank: 90 }]
}

function fortTag(r: RealmModel, f: Fort, project: Project): Ranked {
  const text = words.map.fortOf(shortened(fortName(r, f), 18))
  return { id: fortId(f.agentId), kind: 'fort', text, color: f.color, ...project(f.x + 0.5, f.y + 3), rank: 30 }
}

function heroTag(h: HeroNow, rank: number, project: Project): Ranked {
  const feet = project(h.x + 0.5, h.y + 1)
  return { id: heroId(h.id), kind: 'hero', text: shortened(h.name, 18), color: h.color, ...feet, rank }
}

/**
 * The names of heroes below their feet. If the names of standing heroes would overlap, they are put one below the
 * other; in one column, if the heroes hide one another. A hero that walks past does not move the names of others, and
 * its own name is not shown while it would cover another hero.
 */
function heroTags(heroes: readonly HeroNow[], rank: number, project: Project): Ranked[] {
  const close = project(CLOSE, 0).x - project(0, 0).x
  const stand = heroes.filter((h) => !h.moving).sort((a, b) => a.y - b.y || a.x - b.x || (a.id < b.id ? -1 : 1))
  const out: Ranked[] = []
  for (const h of stand) {
    let tag = heroTag(h, rank, project)
    let over = out.find((o) => collide(o, tag))
    for (; over; over = out.find((o) => collide(o, tag))) {
      tag = { ...tag, x: Math.abs(over.x - tag.x) < close ? over.x : tag.x, y: over.y + LINE + GAP }
    }
    out.push(tag)
  }
  const boxes = heroes.map((h) => heroBox(h, project))
  heroes.forEach((h, i) => {
    if (h.moving) out.push({ ...heroTag(h, rank - 1, project), clear: boxes.filter((_, other) => other !== i) })
  })
  return out
}

/**
 * Whether two names overlap. Names that are exactly one line apart do not, even if rounding has made their distance a
 * little smaller.
 */
function collide(a: Ranked, b: Ranked): boolean {
  const width = (widthOf(a.text) + widthOf(b.text)) / 2 + 2 * GAP
  return Math.abs(a.x - b.x) < width && Math.abs(a.y - b.y) < LINE + GAP - ROUNDING
}

/** The bubbles over the roofs of houses. A hero that is visible in its house has a bubble of its own instead. */
function houseBubbles(r: RealmModel, heroes: readonly HeroNow[], open: readonly HeroNow[], project: Project): Ranked[] {
  const { sites } = r.world.country
  return sites.flatMap((s) => {
    const said = heroes.find(
      (h) => h.says && h.room !== null && siteOf(sites, h.room) === s && !open.some((o) => o.id === h.id),
    )
    if (!said) return []
    const text = `${said.name}: ${said.says}`
    const roof = project(s.doorX + 0.5, s.y - 0.5)
    return [{ id: `says ${s.path}/`, kind: 'speech', text, color: said.color, ...roof, rank: 95 }]
  })
}

/** Removes the names of camps that are close to the shown name of their own hero. */
function withoutDoubles(tags: readonly Tag[]): Tag[] {
  const heroes = new Map(tags.filter((t) => t.kind === 'hero').map((t) => [t.id, t]))
  return tags.filter((t) => {
    const hero = t.kind === 'fort' ? heroes.get(heroId(t.id.slice(fortId('').length))) : undefined
    return !hero || Math.abs(hero.x - t.x) > HOME.width || Math.abs(hero.y - t.y) > HOME.height
  })
}

function heroId(agentId: string): string {
  return `hero ${agentId}`
}

function fortId(agentId: string): string {
  return `fort ${agentId}`
}

/**
 * The heading of a group of files and, at the left of each row, the first letters of the row's names, as in a
 * dictionary.
 */
function partTags(room: Room, p: Part, project: Project): Ranked[] {
  const files = (room.objects ?? []).filter((o) => o.y >= p.y && o.y < p.y + p.height)
  const text = words.map.part(p.kind, files.length, p.language)
  const id = `${p.kind} ${p.language ?? ''}`
  const [head, end, width] = [project(p.x, p.y), project(p.x + p.width, p.y), widthOf(text)]
  const left = Math.max(head.x, Math.min(0, end.x - width)) // the heading stays while the room is moved to the left
  const y = head.y + (hasTwoLines(project(1, 0).x - project(0, 0).x) ? NAME_LINE : 0)
  const tags: Ranked[] = [{ id: `part ${id}`, kind: 'part', text, x: left + width / 2, y, rank: 65 }]
  if (new Set(files.map((o) => o.y)).size < INDEXED) return tags
  files.forEach((o, i) => {
    const before = files[i - 1]
    if (before?.y === o.y) return
    const text = o.name.slice(0, common(o.name, before?.name ?? '') + 1)
    if (text.length > GUIDE) return
    const end = project(o.x, o.y + 0.2)
    tags.push({ id: `row ${id} ${o.y}`, kind: 'row', text, x: end.x - widthOf(text) / 2, y: end.y, rank: 64 })
  })
  return tags
}

/** The number of letters that two names have in common at their beginning. */
function common(a: string, b: string): number {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/** The headings that stand in the lower line of names below a row: those of the groups that begin below the row. */
function headingsOf(room: Room, tile: number): Heading[] {
  return (room.parts ?? []).map((p) => {
    const files = (room.objects ?? []).filter((o) => o.y >= p.y && o.y < p.y + p.height)
    const width = widthOf(words.map.part(p.kind, files.length, p.language))
    return { y: p.y - 1, left: p.x, right: p.x + width / tile }
  })
}

/** The names of the things of a room; at a small zoom only of those that the person points at or was led to. */
function thingTags(
  room: Room,
  lod: Detail,
  project: Project,
  rank: (o: RoomObject) => number,
  hover: Picked | null,
  marked: string,
): Ranked[] {
  const things = room.objects ?? []
  const tile = project(1, 0).x - project(0, 0).x
  const names = thingNames(things, headingsOf(room, tile), tile)
  return things.flatMap((o): Ranked[] => {
    const hovered = hover?.kind === 'object' && hover.path === o.path
    const whole = hovered || o.path === marked
    const name = names.get(o.id)
    if (!name || (lod === 'far' && !whole)) return []
    return [
      {
        id: `object ${o.id}`,
        kind: o.path === marked ? 'marked' : hovered ? 'hovered' : 'object',
        text: whole ? o.name : name.text,
        ...lower(project(o.x + 0.5, o.y + 1), name.line * NAME_LINE),
        rank: hovered ? 200 : whole ? 190 : rank(o),
      },
    ]
  })
}

/**
 * The labels of a room: doors, parts and heroes always, things when zoomed in, those with a high rank first.
 * marked: the path of the thing that has its label at every zoom.
 */
export function roomTags(
  change: MapChange,
  heroes: readonly HeroNow[],
  lod: Detail,
  project: Project,
  screen: Screen,
  rootName: string,
  rank: (o: RoomObject) => number = () => 10,
  hover: Picked | null = null,
  marked = '',
): Tag[] {
  const tags: Ranked[] = []
  // Doors are close together, so the names of every second door are one line lower.
  const doors = [...(change.room.doors ?? [])].sort((a, b) => a.y - b.y || a.x - b.x)
  doors.forEach((d, i) => {
    const name = d.back ? `‹ ${d.path === '' ? rootName : d.name}` : `${d.name} ${count(d.files)}`
    tags.push({
      id: `door ${d.id}`,
      kind: 'door',
      text: shortened(name, 22),
      ...lower(project(d.x + 0.5, d.y + 1), (i % 2) * (LINE + 2)),
      rank: d.back ? 85 : 50 + Math.min(9, Math.log2(1 + d.files)),
    })
  })
  for (const p of change.room.parts ?? []) tags.push(...partTags(change.room, p, project))
  if (lod !== 'far' || hover?.kind === 'object' || marked !== '')
    tags.push(...thingTags(change.room, lod, project, rank, hover, marked))
  tags.push(...heroTags(heroes, 70, project), ...heroes.flatMap((h) => bubble(h, project)))
  const walls = { left: project(0, 0).x, right: project(change.room.width, 0).x }
  return placed(tags, screen, standing(heroes, project), walls)
}
