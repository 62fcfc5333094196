package realm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"agentdungeon/server/realm/commit"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Commands that were taken before: their answers are kept for a day, so that sending one
// again is safe (P6.2).

// commandMemory is how long a command's answer is kept.
const commandMemory = 24 * time.Hour

// commandKey cannot mix two people up: ids hold no slash.
func commandKey(spectatorID, requestID string) string { return spectatorID + "/" + requestID }

// hashOf says whether two commands ask for the same: over the type and the fields
// as decoded, so that spacing and the order of keys do not matter.
func hashOf(c wire.Command) string {
	b, err := json.Marshal(c)
	if err != nil {
		b = []byte(fmt.Sprintf("%+v", c)) // no command of wire fails to encode
	}
	sum := sha256.Sum256(append([]byte(c.CommandType()+"\n"), b...))
	return hex.EncodeToString(sum[:])
}

// remember keeps an answer for commandMemory; the oldest go first.
func (a *actor) remember(row world.CommandRow) {
	key := commandKey(row.SpectatorID, row.RequestID)
	a.replies[key] = row
	a.answers = append(a.answers, key)
	old := a.calendar.now - world.Time(commandMemory.Milliseconds())
	for len(a.answers) > world.MaxCommandRows || len(a.answers) > 0 && a.replies[a.answers[0]].At < old {
		delete(a.replies, a.answers[0])
		a.answers = a.answers[1:]
	}
}

func (a *actor) forgetReply(key string) {
	delete(a.replies, key)
	a.answers = slices.DeleteFunc(a.answers, func(k string) bool { return k == key })
}

// answerAgain answers a command that was taken before.
func (a *actor) answerAgain(in Input, known world.CommandRow) {
	switch c := in.Command.(type) {
	case *wire.ChatSend:
		a.saidBefore(in, c, known.Reply)
		return
	case *wire.HistoryErase: // erasing twice is erasing once
		a.eraseFor(in, c)
		return
	case *wire.NavigateEnter, *wire.NavigateBack:
		if room, e := a.seenAgain(in); e == nil {
			a.out(commit.Entry{Reply: a.encode(room), To: in.To})
			return
		} // the room is gone: that it was entered is still true
	}
	a.out(commit.Entry{Reply: known.Reply, To: in.To})
}
