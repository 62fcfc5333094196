package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentdungeon/server/inspect/heroes"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm"
	"agentdungeon/server/report"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// export returns the report of an open realm. The gate calls it.
func (a *App) export(ctx context.Context, tenant, realmID string, want report.Want) (*report.File, error) {
	if err := want.Check(); err != nil {
		return nil, wire.Errorf(wire.BadField, "%s", err)
	}
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	w, err := r.World(ctx)
	if err != nil {
		return nil, err
	}
	source, err := reportSource(ctx, w, r.Land(), a.cfg.Version, want, r.Transcripts())
	if err != nil {
		return nil, err
	}
	f, err := report.Make(source, want)
	switch {
	case errors.Is(err, report.ErrNoPicture):
		return nil, wire.Errorf(wire.NotFound, "%s", err)
	case errors.Is(err, report.ErrSessionFormat), errors.Is(err, report.ErrOvertaken):
		return nil, wire.Errorf(wire.BadField, "%s", err)
	}
	return f, err
}

// reportSource returns the input for a report about a realm, as it is at this moment. The error says that the realm has
// no process and no session with the conversation want.Conversation.
func reportSource(ctx context.Context, w *world.World, l *world.Land, version string, want report.Want,
	t realm.Transcripts) (report.Source, error) {
	s := report.Source{World: w, Land: l, Checks: heroes.Checks(), Version: version, Now: time.Now()}
	if want.Conversation == "" {
		if err := remarksTo(ctx, &s, want, t); err != nil {
			return s, err
		}
		return s, saidIn(ctx, &s, w.ProcessState.ConversationID, want, t)
	}
	none := wire.Errorf(wire.NotFound, "there is no conversation %q here that makes a report; the list of conversations "+
		"names them with their kinds", want.Conversation)
	if !wire.ValidID(want.Conversation) || want.Public && world.IsPrivate(want.Conversation) && !w.Settings.Shared() {
		return s, none
	}
	saved, err := t.Conversation(ctx, want.Conversation)
	head := &saved.Conversation
	switch {
	case err == nil && observed(head):
		s.Session, s.Whole = head, !want.Public
		return s, sessionRows(ctx, &s, t)
	case errors.Is(err, world.ErrNoConversation) || err == nil && !reports(head):
		return s, none
	}
	s.Process = head
	if err == nil {
		err = remarksTo(ctx, &s, want, t)
	}
	if err != nil {
		return s, err
	}
	return s, saidIn(ctx, &s, want.Conversation, want, t)
}

// remarksTo adds what people said to everybody to the input of a report that shows it.
func remarksTo(ctx context.Context, s *report.Source, want report.Want, t realm.Transcripts) (err error) {
	if want.Format == report.FormatMarkdown || want.Format == report.FormatJSON {
		s.Remarks, err = t.Remarks(ctx)
	}
	return err
}

// saidIn adds what was said in a process to the input of a report that shows it. The artifacts of a process lack the
// words of roles that produce none and, if it was ended early, those of its last stage.
func saidIn(ctx context.Context, s *report.Source, process string, want report.Want, t realm.Transcripts) error {
	if process == "" || want.Format != report.FormatMarkdown && (want.Format != report.FormatJSON || s.Process == nil) {
		return nil
	}
	early := s.World.ProcessState.Early
	if s.Process != nil {
		early = s.Process.Status != world.ConversationCompleted
	}
	err := rows(ctx, t, process, func(m world.Message) error {
		if m.Role == world.RoleUser || early && m.Role == world.RoleAssistant {
			s.Said = append(s.Said, m)
		}
		return nil
	})
	if errors.Is(err, world.ErrNoConversation) { // the process is about to begin, or its transcript is lost
		return nil
	}
	return err
}

// observed reports whether a conversation is a session of a program outside of the server.
func observed(head *world.Conversation) bool {
	_, ok := kindSet.Of(head.Kind).(kind.Observer)
	return ok
}

// sessionRows adds the rows of a session and of its sub-agents to the input of its report.
func sessionRows(ctx context.Context, s *report.Source, t realm.Transcripts) error {
	for _, id := range append([]string{s.Session.ConversationID}, report.SubAgents(s.World, s.Session)...) {
		err := rows(ctx, t, id, func(m world.Message) error {
			if m.Tool != nil {
				m.Content = "" // a report has no outputs, which can be large
			}
			s.Rows = append(s.Rows, m)
			return nil
		})
		if err != nil && !errors.Is(err, world.ErrNoConversation) { // such as a sub-agent's conversation that was erased
			return err
		}
	}
	return nil
}

// reports reports whether a conversation has stages, whose artifacts a report shows.
func reports(head *world.Conversation) bool {
	return kindSet.Of(head.Kind).Traits().Staged
}

// Export returns the realm's report. It returns the errors of report.Make unchanged.
func (s Stopped) Export(ctx context.Context, want report.Want, version string) (f *report.File, err error) {
	if err := want.Check(); err != nil {
		return nil, err
	}
	err = s.opened(ctx, files.OpenToRead, func(o *recovery.Opened) (err error) {
		source, err := reportSource(ctx, o.Saved.World, o.Saved.Land, version, want, o.Journal)
		if err == nil {
			f, err = report.Make(source, want)
		}
		return err
	})
	return f, err
}

// exportSession returns a session of a party as a file that another realm can import (P14.16). It first waits
// for the imports that are under way, because one of them may be importing this session.
func (a *App) exportSession(ctx context.Context, tenant, realmID, sessionID string) (*report.File, error) {
	r, err := a.realm(ctx, tenant, realmID)
	if err != nil {
		return nil, err
	}
	if err := r.Imported(ctx); err != nil {
		return nil, err
	}
	return sessionFile(ctx, r.Transcripts(), sessionID)
}

// Session returns a session of a party as a file that another realm can import (P14.16).
func (s Stopped) Session(ctx context.Context, sessionID string) (f *report.File, err error) {
	err = s.opened(ctx, files.OpenToRead, func(o *recovery.Opened) (err error) {
		if err := stillInFile(o.Files, sessionID); err != nil {
			return err
		}
		f, err = sessionFile(ctx, o.Journal, sessionID)
		return errors.Join(err, lostTranscripts(o))
	})
	return f, err
}

// stillInFile returns an error if the realm has not finished importing the session: the realm then has only a
// part of the session or none of it.
func stillInFile(files *files.Realm, sessionID string) error {
	names, err := files.SessionFiles()
	if err != nil && len(names) == 0 {
		return err
	}
	for _, name := range names {
		data, err := files.ReadSession(name)
		if err != nil {
			return fmt.Errorf("read sessions/%s: %w", name, err)
		}
		if fileOf(data, sessionID) {
			return fmt.Errorf("session %s is not fully imported; its file is still sessions/%s in the realm's folder",
				sessionID, name)
		}
	}
	return nil
}

// fileOf reports whether data is a session file that holds the session sessionID.
func fileOf(data []byte, sessionID string) bool {
	for _, k := range kindSet.All {
		if e, ok := k.(kind.Exporter); ok && e.Exported(data) == sessionID {
			return true
		}
	}
	return false
}

// sessionFile exports a session from its transcript, which is read one page at a time.
func sessionFile(ctx context.Context, t realm.Transcripts, id string) (*report.File, error) {
	none := wire.Errorf(wire.NotFound, "there is no session %q here; the list of conversations names those of kind party",
		id)
	if !wire.ValidID(id) {
		return nil, none
	}
	saved, err := t.Conversation(ctx, id)
	switch {
	case errors.Is(err, world.ErrNoConversation):
		return nil, none
	case err != nil:
		return nil, err
	}
	head := saved.Conversation
	exporter, ok := kindSet.Of(head.Kind).(kind.Exporter)
	if !ok {
		how := ""
		if reports(&head) {
			how = "; export -conversation " + id + " writes its report"
		}
		return nil, wire.Errorf(wire.Conflict, "%s is a %s; only sessions of a party can be exported%s", id, head.Kind, how)
	}
	data, err := exporter.Export(head, func(each func(world.Message) error) error { return rows(ctx, t, id, each) })
	if data == nil && err != nil {
		return nil, err
	}
	return &report.File{Name: id + ".json", Type: "application/json", Data: data}, err
}
