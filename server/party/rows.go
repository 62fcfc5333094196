package party

import "agentdungeon/shared/world"

// asked holds what the rows of one run have asked for. It takes effect once the run has ended well.
type asked struct {
	run   string // requestId
	row   string // messageId of the last row
	marks Marks
}

// of returns what a run has asked for; it is empty for another run.
func (a asked) of(run world.Run) asked {
	if a.run != run.RequestID {
		return asked{}
	}
	return a
}

// Row removes the markers that only route from a row that an agent's run closes (S2-B8).
func (k *Party) Row(m world.Message) string {
	marks, text := Read(m.Content)
	if k.asked.run != m.RequestID {
		k.asked = asked{run: m.RequestID}
	}
	k.asked.row, k.asked.marks = m.MessageID, k.asked.marks.And(marks)
	return text
}

// Kept returns a person's words as their row keeps them.
func (*Party) Kept(text string) string {
	_, text = Read(text)
	return text
}

// Redact removes erased words from what the turn under way has asked for.
func (k *Party) Redact(said func(string) string) {
	if task := k.asked.marks.Task; task != nil {
		left := said(*task)
		k.asked.marks.Task = &left
	}
}
