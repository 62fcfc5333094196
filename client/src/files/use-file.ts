// Reads the content of an open file when the file is opened, and again when the folder has changed.
import { useEffect, useState } from 'preact/hooks'
import { readFile } from '../net/files'
import type { FileText } from '../net/protocol.gen'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'

/** loading: the file has not been read yet. failed: the file cannot be read, or cannot be read any more. */
export type FileState = { state: 'loading' } | { state: 'failed'; why: string } | { state: 'read'; file: FileText }

export function useFile(realm: RealmModel, path: string, tries: number): FileState {
  const generation = useSelect(() => realm.world.map.generation, [realm])
  const [got, setGot] = useState<{ path: string; now: FileState }>({ path: '', now: { state: 'loading' } })
  useEffect(() => {
    const stop = new AbortController()
    void readFile(realm.id, path, '', stop.signal).then((answer) => {
      if (answer === null) return
      setGot({
        path,
        now: 'got' in answer ? { state: 'read', file: answer.got } : { state: 'failed', why: answer.failed },
      })
    })
    return () => stop.abort()
  }, [realm.id, path, generation, tries])
  return got.path === path ? got.now : { state: 'loading' }
}

/** The text without its last line break, which the view would show as an additional empty line. */
export function shownText({ text = '' }: FileText): string {
  return text.replace(/\n$/, '')
}

/** The committed version of the file; null until it is read, and while no comparison is shown. */
export function useCommitted(realm: RealmModel, file: FileText | null, asked: boolean): string | null {
  const [got, setGot] = useState<{ of: FileText; text: string } | null>(null)
  useEffect(() => {
    if (!asked || file?.head !== 'differs') return
    const stop = new AbortController()
    void readFile(realm.id, file.path, 'HEAD', stop.signal).then((answer) => {
      if (answer !== null && 'got' in answer) setGot({ of: file, text: shownText(answer.got) })
    })
    return () => stop.abort()
  }, [realm.id, file, asked])
  return asked && got !== null && got.of === file ? got.text : null
}
