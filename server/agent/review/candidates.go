package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// judgeTime is how long a model may judge candidates in a turn of the Oracle. It is shorter than the limit of a
// turn, so that time remains for the Oracle's own work. Candidates that the model has not judged by then stay
// suspected.
const judgeTime = time.Minute

// prove asks the language model, if there is one, to prove or withdraw the candidates. The model's verdicts are chunks
// of this turn, and the rest of the turn uses the findings with these verdicts. If the turn is played again, the model
// gets only the candidates that have no verdict yet. An error of the model does not fail the turn.
func (t *speaker) prove() {
	judge := t.scouts.Judge
	waiting := slices.DeleteFunc(slices.Clone(t.turn.Findings), func(f world.Finding) bool {
		return f.State() != world.StateSuspected
	})
	if judge == nil || len(waiting) == 0 || t.err != nil {
		return
	}
	who := "A language model"
	if m, ok := judge.(driver.Modeled); ok {
		who += " (" + m.Model() + ")"
	}
	t.sayf("%s looks at what is only suspected: %s.", who, countOf(len(waiting), "candidate"))
	turn := t.turn
	// Set CompleteTurns, so that the model cannot end the stage: the Oracle ends it.
	turn.Findings, turn.Completion = waiting, world.CompleteTurns
	t.turn.Findings = slices.Clone(t.turn.Findings)
	proved, withdrawn := 0, 0
	ctx, cancel := context.WithTimeout(t.ctx, judgeTime)
	defer cancel()
	said := false
	err := judge.Run(ctx, turn, func(c driver.Chunk) error {
		switch {
		case c.Text != "" && !said:
			c.Text, said = "\n\n"+c.Text, true
		case c.Prove != nil:
			proved++
			t.judged(c.Prove.FindingID, func(f *world.Finding) { f.Proof = c.Prove.Proof })
		case c.Withdraw != nil:
			withdrawn++
			t.judged(c.Withdraw.FindingID, func(f *world.Finding) { f.Withdrawn = c.Withdraw.Reason })
		}
		t.post(c)
		return t.err
	})
	if t.ctx.Err() != nil || t.err != nil {
		return
	}
	t.turn.Findings = slices.DeleteFunc(t.turn.Findings, func(f world.Finding) bool { return f.Withdrawn != "" })
	words := fmt.Sprintf("Of %s the model has proved %d and withdrawn %d.", countOf(len(waiting), "candidate"), proved,
		withdrawn)
	var failed *driver.TurnError
	switch {
	case ctx.Err() != nil:
		words += " Its time was over."
	case errors.As(err, &failed):
		words += " It went no further: " + strings.TrimSuffix(failed.Message, ".") + "."
	case err != nil:
		words += " It went no further."
	}
	t.say(words)
}

// judged applies change to the finding with that id in this turn's list of findings.
func (t *speaker) judged(id string, change func(*world.Finding)) {
	for i := range t.turn.Findings {
		if f := &t.turn.Findings[i]; f.ID == id {
			change(f)
		}
	}
}
