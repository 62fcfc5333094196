package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
)

// checkTime limits a check or a repair. To read every page and row of the largest realms takes minutes.
const checkTime = time.Hour

// checkCommand returns the command check. For realms in a worlds folder that no server uses, it reports what is
// damaged and what a server would do about the damage when it opens the realm. It changes nothing. If a realm is
// damaged, the exit code is 1.
func checkCommand(p *program) *cobra.Command {
	o := &realmFlags{}
	c := p.command("check", "say what of a stopped realm is damaged and what an opening would do",
		func() error { return p.check(o) })
	o.define(c)
	o.realmFlag(c, " (default all realms of the tenant)")
	o.jsonFlag(c)
	return c
}

func (p *program) check(o *realmFlags) error {
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(untilSignal(zerolog.Nop()), checkTime)
	defer cancel()
	found, err := recovery.Check(ctx, f.fs, f.dir, o.tenant, o.realm)
	if err != nil {
		return fmt.Errorf("check: %w", stopFirst(err))
	}
	copies, err := files.Copies(f.fs, f.dir, o.tenant)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if err := writeChecks(p.stdout, found, copies, o.json); err != nil {
		return err
	}
	var damaged []string
	for _, c := range found {
		if !c.Whole() {
			damaged = append(damaged, c.RealmID)
		}
	}
	switch {
	case len(damaged) == 1:
		return fmt.Errorf("check: realm %s is damaged; agentdungeon repair -realm %s makes an undamaged copy",
			damaged[0], damaged[0])
	case len(damaged) > 1:
		return fmt.Errorf("check: %d of %d realms are damaged; agentdungeon repair -realm ID makes an undamaged copy",
			len(damaged), len(found))
	}
	return nil
}

// repairFlags has the flags of repair.
type repairFlags struct {
	realmFlags
	out string
}

// repairCommand returns the command repair, which writes an undamaged copy of a realm beside the realm, and
// prints how to replace the realm by the copy.
func repairCommand(p *program) *cobra.Command {
	o := &repairFlags{}
	c := p.command("repair", "make a whole copy of a damaged realm", func() error { return p.repair(o) })
	o.define(c)
	o.realmFlag(c, "")
	o.jsonFlag(c)
	c.Flags().StringVarP(&o.out, "o", "o", "",
		"`folder` to make, which must not be there (default REALM.repaired-TIME beside the realm's)")
	offerFolders(c, "o")
	return c
}

func (p *program) repair(o *repairFlags) error {
	if o.realm == "" {
		return usageError{errors.New("repair needs -realm ID")}
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(untilSignal(zerolog.Nop()), checkTime)
	defer cancel()
	done, err := recovery.Repair(ctx, f.fs, f.dir, o.tenant, o.realm, o.out, time.Now())
	if err != nil {
		return fmt.Errorf("repair: %w", stopFirst(err))
	}
	if o.json {
		return writeJSON(p.stdout, done)
	}
	return asText(p.stdout, false, func(w io.Writer) error { return writeRepaired(w, done) })
}

// stopFirst adds to disk.ErrLocked the advice to stop the server first. It returns other errors unchanged.
func stopFirst(err error) error {
	if errors.Is(err, disk.ErrLocked) {
		return fmt.Errorf("%w; stop it first", err)
	}
	return err
}

func writeChecks(stdout io.Writer, found []*recovery.Checked, copies []string, asJSON bool) error {
	if asJSON {
		all := struct {
			Realms []*recovery.Checked `json:"realms"`
			Copies []string            `json:"copies"`
		}{found, copies}
		if all.Realms == nil {
			all.Realms = []*recovery.Checked{}
		}
		if all.Copies == nil {
			all.Copies = []string{}
		}
		return writeJSON(stdout, all)
	}
	return asText(stdout, false, func(w io.Writer) error {
		if len(found) == 0 {
			fmt.Fprintln(w, "this tenant has no realms: nothing to check")
		}
		for _, c := range found {
			if err := writeChecked(w, c); err != nil {
				return err
			}
		}
		return writeCopies(w, copies)
	})
}

// writeChecked writes to w what a check found in one realm.
func writeChecked(w io.Writer, c *recovery.Checked) error {
	var text bytes.Buffer
	verdict := "whole"
	if !c.Whole() {
		verdict = "damaged"
	}
	fmt.Fprintf(&text, "realm %s: %s\n", c.RealmID, verdict)
	out := tabwriter.NewWriter(&text, 0, 4, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "  %s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("folder", "%s, %d bytes", c.Dir, c.Bytes)
	for _, s := range c.States {
		switch {
		case s.Problem != "":
			line(s.Name, "%s", s.Problem)
		case !s.There:
			line(s.Name, "not there")
		default:
			line(s.Name, "whole, at event %d, saved %s, %s", s.Seq, s.SavedAt, counted(s.Messages))
		}
	}
	if d := c.Database; d == nil {
		line("realm.db", "not there")
	} else {
		writeDatabase(line, d)
	}
	line("vaults", "%s", fileCount(c.Vaults, "cannot be read"))
	line("skills", "%s", fileCount(c.Skills, "cannot be used"))
	if c.SetAside.Count > 0 {
		line("set aside", "%d: %s", c.SetAside.Count, listed(c.SetAside.Names, c.SetAside.Count))
	}
	line("an opening", "%s", c.Opening)
	for _, damage := range c.Damage {
		line("damage", "%s", damage)
	}
	if c.More > 0 {
		line("damage", "and %d more", c.More)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

func counted(messages int64) string {
	if messages == 0 {
		return "messages were not counted then"
	}
	return fmt.Sprintf("%d messages then", messages)
}

func writeDatabase(line func(name, format string, args ...any), d *recovery.CheckedDatabase) {
	log := "no log"
	if d.LogBytes >= 0 {
		log = fmt.Sprintf("a log of %d bytes", d.LogBytes)
	}
	schema := "its schema cannot be read"
	if d.Schema > 0 {
		schema = fmt.Sprintf("schema %d", d.Schema)
	}
	line("realm.db", "%s, %d bytes, %s", schema, d.Bytes, log)
	for _, p := range d.Pages {
		line("pages", "%s: %s", p.Table, strings.ReplaceAll(p.Says, "\n", " "))
	}
	e, m := &d.Events, &d.Messages
	events := fmt.Sprintf("%d of %d events can be read, %d blocks of events", e.Readable, e.Known, e.Blocks)
	if e.Unreadable > 0 {
		events += fmt.Sprintf(", %d cannot be read", e.Unreadable)
	}
	if e.Lost > 0 {
		events += fmt.Sprintf(", %d are lost", e.Lost)
	}
	if len(e.Where) > 0 {
		var spans []string
		for _, s := range e.Where {
			span := fmt.Sprint(s.From)
			if s.To > s.From {
				span = fmt.Sprintf("%d-%d", s.From, s.To)
			}
			spans = append(spans, span)
		}
		events += ": " + listed(spans, len(spans))
	}
	line("events", "%s", events)
	messages := fmt.Sprintf("%d of %d messages can be read, %d are damaged, "+
		"%d were marked as damaged before, %d have no checksum", m.Readable, m.Known, m.Damaged, m.Marked, m.Unsealed)
	if m.Damaged > 0 {
		messages += ": " + listed(m.Where, int(m.Damaged))
	}
	line("messages", "%s", messages)
	line("conversations", "%s", fileCount(d.Heads, "cannot be read whole"))
	line("other rows", "%d runs, %d bases (%d cannot be read), %d epochs, %d erasures to complete", d.Runs, d.Bases,
		d.BadBases, d.Lines, d.Erasures)
}

func fileCount(f recovery.CheckedFiles, bad string) string {
	if f.Bad == 0 {
		return fmt.Sprint(f.Count)
	}
	text := fmt.Sprintf("%d, %d %s", f.Count, f.Bad, bad)
	if len(f.Names) > 0 {
		text += ": " + listed(f.Names, f.Bad)
	}
	return text
}

// listed joins names with commas. If count exceeds the number of names, listed adds the number of the names
// that are missing.
func listed(names []string, count int) string {
	text := strings.Join(names, ", ")
	if more := count - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// writeRepaired writes to w what a repair has written and how to replace the realm by the copy.
func writeRepaired(w io.Writer, done *recovery.Repaired) error {
	if done.Dir == "" {
		_, err := fmt.Fprintf(w, "realm %s is undamaged: there is nothing to repair\n", done.Before.RealmID)
		return err
	}
	for _, damage := range done.Before.Damage {
		fmt.Fprintln(w, "damage:", damage)
	}
	if done.Unread > 0 {
		fmt.Fprintf(w, "%d bytes could not be read from the disk; the copy has zeros in their place\n", done.Unread)
	}
	for _, link := range done.Links {
		fmt.Fprintln(w, "not copied, because it is no plain file:", link)
	}
	if s := done.Before.Salvage; s != nil {
		fmt.Fprintln(w, "salvaged:", s)
	}
	if err := writeChecked(w, done.After); err != nil {
		return err
	}
	from, to := done.Before.Dir, done.Dir
	_, err := fmt.Fprintf(w,
		"The realm itself is as it was. To put the copy in its place:\n  mv %s %s\n  mv %s %s\nand back:\n  mv %s %s\n  "+
			"mv %s %s\n",
		quoted(from), quoted(from+".damaged"), quoted(to), quoted(from), quoted(from), quoted(to), quoted(from+".damaged"),
		quoted(from))
	return err
}

// quoted quotes a path for a shell, if the path needs quotes.
func quoted(path string) string {
	if strings.IndexFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r))
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
