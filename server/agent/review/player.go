package review

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// Driver returns a driver for the roles that scouts can play: each hero, and the Oracle. It returns nil for other
// roles.
func (s *Scouts) Driver(t *world.Template, role world.Role) driver.Driver {
	if t == nil || t.ID != Review || role.ID != oracle && rank(role.ID) == len(heroes) && len(s.of(role.ID)) == 0 {
		return nil
	}
	return player{s}
}

type player struct{ scouts *Scouts }

// Run plays one turn of a review, a council, a chat or a party. A file in the worlds folder can replace the
// template of the review by one with other stages; in a stage that it does not know, Run returns an error that
// names the stage.
func (d player) Run(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
	switch turn.Kind {
	case world.KindProcess:
	case world.KindCouncil:
		return d.council(ctx, turn, emit)
	default:
		return d.Ask(ctx, turn, turn.Words, emit)
	}
	key := turn.RealmID + "/" + turn.ConversationID
	if turn.Role.ID == oracle { // the Oracle needs a new view, to see what has changed during the review
		d.scouts.retire(key)
		key += "/" + oracle
	}
	t, done, err := d.begin(ctx, key, turn, emit)
	if err != nil {
		return err
	}
	defer done()
	switch turn.StageID {
	case reconnaissance:
		err = t.survey()
	case deepAnalysis:
		err = t.analyse()
	case crossReference:
		err = t.compare()
	case oracleReview:
		err = t.judge()
	case synthesis:
		t.order()
	case presentation:
		err = t.present()
	default:
		err = &driver.TurnError{Code: codeNoStage, Message: fmt.Sprintf("The scouts know no stage %q.", turn.StageID)}
	}
	return cmp.Or(t.err, err, ctx.Err())
}

// Ask answers a person's question with a measurement, or says that the scouts cannot measure what the question asks
// for.
func (d player) Ask(ctx context.Context, turn driver.Turn, question string, emit func(driver.Chunk) error) error {
	if turn.RepoPath == "" && asksDecided.MatchString(question) { // the only question that needs no folder
		t := &speaker{view: view{ctx: ctx, turn: turn, scouts: d.scouts}, emit: emit}
		text, err := results{&t.view}.text(unaddressed(question, turn.Role))
		t.sayParagraphs(text)
		return cmp.Or(t.err, err, ctx.Err())
	}
	// Read the folder again for the question, so that the answer describes it as it is now.
	key := turn.RealmID + "/" + turn.RequestID + "/question"
	t, done, err := d.begin(ctx, key, turn, emit)
	if err != nil {
		return err
	}
	defer d.scouts.drop(key)
	defer done()
	text, asks, err := t.reply(question)
	if err != nil {
		return err
	}
	t.sayParagraphs(text)
	if turn.Kind == world.KindChat {
		t.post(driver.Chunk{Text: "\n\n" + asks}) // in one piece: the questions become buttons
	}
	return cmp.Or(t.err, ctx.Err())
}

// council plays a turn of a council. The words depend only on the task, the number of the turn, the order of the
// members and the files. So a turn that is played again says the same, and no two turns say the same thing.
func (d player) council(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
	// All turns of a council share one view of the repository, because each turn says the next findings of the same
	// list.
	key := turn.RealmID + "/" + turn.ConversationID + "/council"
	t, done, err := d.begin(ctx, key, turn, emit)
	if err != nil {
		return err
	}
	if turn.N >= turn.Turns {
		defer d.scouts.drop(key)
	}
	defer done()
	err = t.contribute()
	if err == nil && !t.spoken {
		t.post(driver.Chunk{Pass: true})
	}
	return cmp.Or(t.err, err, ctx.Err())
}

// begin acquires the view of the repository with that key, waits until it is open, and returns a speaker for the
// turn. The caller calls done when it no longer needs the view.
func (d player) begin(ctx context.Context, key string, turn driver.Turn, emit func(driver.Chunk) error) (
	t *speaker, done func(), err error,
) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if turn.RepoPath == "" {
		why := "This realm has no folder to review: link one, and start the review there."
		if turn.Kind != world.KindProcess && turn.Kind != "" {
			why = "No folder is linked to this realm, so there is nothing that I could measure. Link one, and ask again."
		}
		return nil, nil, &driver.TurnError{Code: codeNoRepository, Message: why}
	}
	r := d.scouts.acquire(key, turn.RepoPath)
	select {
	case <-r.ready:
	case <-ctx.Done():
		d.scouts.release(r)
		return nil, nil, ctx.Err()
	}
	if r.err != nil {
		d.scouts.release(r)
		// Replace the folder's path: every member reads the message, but only hosts may know the path.
		why := strings.ReplaceAll(r.err.Error(), turn.RepoPath, "it")
		return nil, nil, &driver.TurnError{Code: codeNoRepository, Message: "The linked folder cannot be read: " + why + "."}
	}
	v := view{ctx: ctx, turn: turn, scouts: d.scouts, review: r}
	return &speaker{view: v, emit: emit}, func() { d.scouts.release(r) }, nil
}
