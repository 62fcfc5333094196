package realm

import "agentdungeon/server/kind"

// write has a skill written once what led to it is durable.
func (a *actor) write(w kind.Writing) {
	talk, request := w.Run.ConversationID, w.Run.RequestID
	size := 0
	for p, text := range w.Files.Files {
		size += len(p) + len(text)
	}
	a.then(act{holds: size, effect: func() {
		if a.sees.Running(talk, request) == nil {
			return
		}
		a.writes.Begin(talk, request)
		worker := a.writes.Worker
		a.work.Go(func() { worker.Write(w) })
	}})
}
