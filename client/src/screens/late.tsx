// A component that is loaded when it is first shown, so that the first screen stays small.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useLatest } from '../panels/use-latest'

/** load: must be the same function at each render. fail: called if the component cannot be loaded. */
export function Late<P extends object>({
  load,
  fail,
  props,
}: {
  load: () => Promise<ComponentType<P>>
  fail: () => void
  props: P
}) {
  const [Loaded, set] = useState<ComponentType<P> | null>(null)
  const failed = useLatest(fail)
  useEffect(() => {
    let gone = false
    load().then(
      (component) => !gone && set(() => component),
      () => !gone && failed.current(),
    )
    return () => {
      gone = true
    }
  }, [load, failed])
  return Loaded && <Loaded {...props} />
}
