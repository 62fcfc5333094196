// The files of a skill. One file is shown at a time.
import type { RealmModel } from '../../state/model'
import { SkillMarkdown } from './skill-markdown'
import { forgeWords } from './words'

export const MAIN = 'SKILL.md'

type Files = RealmModel['opened'][string]

/** Returns the paths of the files: SKILL.md first, the others by name. */
function pathsOf(files: Files): string[] {
  return Object.keys(files).sort((a, b) => Number(b === MAIN) - Number(a === MAIN) || a.localeCompare(b))
}

/** The path to show: the picked one if it exists, else the first; "" if there are no files. */
export function shownOf(files: Files, picked: string): string {
  const paths = pathsOf(files)
  return paths.includes(picked) ? picked : (paths[0] ?? '')
}

export function SkillFiles({ files, shown, onPick }: { files: Files; shown: string; onPick: (path: string) => void }) {
  const w = forgeWords
  const paths = pathsOf(files)
  const text = files[shown] ?? ''
  return (
    <>
      {paths.length > 1 && (
        <div class="skill-files" role="group" aria-label={w.files}>
          {paths.map((p) => (
            <button key={p} type="button" class="filter mono" aria-pressed={p === shown} onClick={() => onPick(p)}>
              {p}
            </button>
          ))}
        </div>
      )}
      <div class="skill-text parchment" tabIndex={0} data-testid="skill-text" data-file={shown}>
        {/\.md$/i.test(shown) ? <SkillMarkdown text={text} /> : <pre class="code">{text}</pre>}
      </div>
    </>
  )
}
