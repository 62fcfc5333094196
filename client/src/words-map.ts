// The texts of the map, its rooms and its cards, part of words.ts.
import { ago, count, plural } from './words-format'

/** The parts of a room, by the kind of their files. */
const PARTS: Readonly<Record<string, string>> = {
  file: 'Code',
  doc: 'Documents',
  config: 'Configuration',
  test: 'Tests',
  link: 'Links',
}

export const mapWords = {
  label: 'Map',
  room: (name: string) => `Room ${name}`,
  root: 'Entrance hall',
  loading: 'Loading the room',
  empty: 'This folder has nothing to show.',
  emptyNext: 'Files that git ignores are not on the map.',
  doors: 'Doors',
  files: (n: number) => plural(n, 'file'),
  folders: (n: number) => plural(n, 'folder'),
  back: 'Back',
  up: (name: string) => `Up to ${name}`,
  page: (i: number, n: number) => `Page ${i} of ${n}`,
  next: 'Next page',
  previous: 'Previous page',
  failed: 'The room could not be loaded.',
  again: 'Try again',
  missing: 'The linked folder cannot be found. The map shows its last known state.',
  copyRealm: 'Copy the link to this realm',
  copyFolder: 'Copy the link to this folder',
  bare: 'A camp without a country',
  bareText: 'This realm has no folder, so it has no map. A folder is a realm of its own.',
  bareLink: 'Link a folder',
  kinds: { file: 'code', doc: 'document', config: 'configuration', test: 'test', link: 'link' } as Record<
    string,
    string
  >,
  part: (kind: string, files: number, language = '') =>
    `${PARTS[kind] ?? kind}${language && `, ${language}`}: ${count(files)}`,
  scanned: (files: number, folders: number) => `${plural(files, 'file')} in ${plural(folders, 'folder')}`,
  standing: (name: string) => `${name} is here`,
  tree: 'Rooms',
  forms: 'How the map is shown',
  drawn: 'Picture',
  list: 'List',
  notDrawn: 'This browser cannot draw the map. The list shows the same.',
  drawnLabel: (name: string) =>
    `Map of ${name}: arrow keys move, plus and minus zoom, Escape goes out. The list shows the same as text.`,
  country: 'Country',
  closer: 'Closer',
  further: 'Further away',
  minimap: 'The whole country; click to go there',
  card: 'What is known',
  changedAt: (what: string, at: string) =>
    `${what === 'created' || what === 'renamed' ? what : 'changed'} ${ago(at, Date.now())}`,
  committed: 'committed',
  uncommitted: 'not committed',
  uncommittedBelow: (n: number) => `${plural(n, 'file')} not committed below`,
  touched: (at: string, commits: number) =>
    `last commit ${ago(at, Date.now())}${commits > 0 ? `, ${plural(commits, 'commit')} known under this name` : ''}`,
  gone: 'It no longer exists.',
  turns: (taken: number, wanted: number) => `${count(taken)} of ${count(wanted)} turns of this stage`,
  found: (n: number) => (n === 0 ? 'no findings yet' : plural(n, 'finding')),
  learned: 'Learned',
  told: 'What this hero is told to do',
  follow: 'Follow',
  goThere: 'Go there',
  reads: (path: string) => `reads ${path}`,
  heroes: 'Heroes',
  outside: 'out in the country',
  within: (path: string) => `in ${path}`,
  keep: 'the keep',
  fortOf: (name: string) => `Camp of ${name}`,
  fortStages: [
    'A campfire: its hero has joined',
    'A tent: its hero has arrived',
    'A hut: a first finding',
    'A tower: three findings',
    'A fort: a stage is done',
  ],
  biome: (name: string) => `Land: ${name}`,
  moment: (kind: string, text: string) =>
    (
      ({
        commit: `Committed: ${text}`,
        switch: `Now on ${text}`,
        away: 'The linked folder cannot be found',
        back: 'The linked folder is there again',
        scan: 'The folder was read again',
      }) as Record<string, string>
    )[kind] ?? `${kind} ${text}`,
  happened: (path: string, what: string) => `${path} ${what}`,
  alsoHappened: (n: number) => `and ${plural(n, 'more change')}`,
  flags: (n: number) => plural(n, 'finding'),
}
