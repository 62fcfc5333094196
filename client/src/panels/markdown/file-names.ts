// Finds the names of files of the linked folder in a text.
import { createContext } from 'preact'

/**
 * The folders of the repository by their paths, in a part of the page where file names in Markdown are links;
 * elsewhere null.
 */
export const FileNames = createContext<(() => ReadonlySet<string>) | null>(null)

export interface Named {
  /** One of the parts into which splitFileNames splits a text. */
  text: string
  /** The file that the part names; "" for none. */
  path: string
  line?: number | undefined
}

/**
 * A path with an extension, and perhaps a line: "src/main.go:12". The path must not be a part of a URL or of a
 * longer name.
 */
const PATH = /(?<![\w/.@:-])((?:[\w@.+-]+\/)*[\w@.+-]+\.[A-Za-z]\w{0,9})(?::(\d{1,7}))?(?![\w/])/g

/**
 * Extensions that make a name without a folder a file. Other names with a dot, such as "field.Look", are not files.
 */
const AT_ROOT = new Set(
  (
    'c cc cpp cs css go h hpp html java js json kt lock md mjs mod php py rb rs sh sql sum swift toml ts tsx txt xml ' +
    'yaml yml'
  ).split(' '),
)

/** Whether a name without a folder is the name of a file. "Node.js" is not. */
function isAtRoot(name: string): boolean {
  return AT_ROOT.has(name.slice(name.lastIndexOf('.') + 1)) && !/^[A-Z][a-z]+\.js$/.test(name)
}

/** The number of levels of folders that the map tree of the world names at most (MapTree). */
const LEVELS = 2

/** Whether the repository has a folder, as far as the page knows: what is below the named levels may be there. */
function mayHave(folders: ReadonlySet<string>, folder: string): boolean {
  return folders.has(folder.split('/').slice(0, LEVELS).join('/'))
}

/** Splits a text at the names of files. folders: the folders of the repository in its map tree, by their paths. */
export function splitFileNames(text: string, folders: ReadonlySet<string>): Named[] {
  const out: Named[] = []
  let from = 0
  for (const m of text.matchAll(PATH)) {
    const path = m[1] ?? ''
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    if (folder === '' ? !isAtRoot(path) : !mayHave(folders, folder)) continue
    if (m.index > from) out.push({ text: text.slice(from, m.index), path: '' })
    out.push({ text: m[0], path, line: m[2] ? Number(m[2]) : undefined })
    from = m.index + m[0].length
  }
  if (from < text.length || out.length === 0) out.push({ text: text.slice(from), path: '' })
  return out
}
