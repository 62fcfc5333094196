package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// maxExport limits the size of a server's answer in bytes. A world has at most about 10 MB, and its report is
// at most a few times larger.
const maxExport = 256 << 20

// exportFlags has the flags of export.
type exportFlags struct {
	realmFlags
	format, session, conversation, out string
}

// exportCommand returns the command export. It writes a realm's report, or a session of the realm's party, to
// a file or to standard output. It reads the worlds folder or, if a server has locked the folder, asks the server.
// If it writes a Markdown report to a file, it also writes the picture of the map, if there is a map, to a file
// beside it.
func exportCommand(p *program) *cobra.Command {
	o := &exportFlags{}
	c := p.command("export", "write a realm's report", func() error { return p.export(o) })
	o.define(c)
	o.realmFlag(c, " (default the last active one)")
	o.tokenFlag(c, "a")
	c.Flags().StringVar(&o.format, "format", report.FormatMarkdown, "`markdown`, json, sarif or svg (the map)")
	c.Flags().StringVar(&o.session, "session", "",
		"instead of the report, write the party session with this `id`, in the form that a realm's sessions folder takes")
	c.Flags().StringVar(&o.conversation, "conversation", "",
		"report only what the process, or the session of a coding agent, with this conversation `id` has made")
	c.Flags().StringVarP(&o.out, "o", "o", "",
		"`file` to write, the map of a markdown report beside it (default standard output, without the map)")
	offer(c, "format", report.Formats...)
	return c
}

func (p *program) export(o *exportFlags) error {
	switch {
	case o.session != "" && o.format != report.FormatMarkdown:
		return usageError{errors.New("-session and -format exclude each other: a session is always written as JSON")}
	case o.session != "" && o.conversation != "":
		return usageError{errors.New("-session and -conversation exclude each other")}
	case o.format != "" && !slices.Contains(report.Formats, o.format):
		return usageError{fmt.Errorf("-format %s: it must be one of %s", o.format, strings.Join(report.Formats, ", "))}
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	want := report.Want{Format: o.format, Conversation: o.conversation}
	toFile := o.out != "" && o.out != "-"
	if into := filepath.Dir(o.out); toFile {
		if _, err := os.Stat(into); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("-o %s: there is no folder %s; make it first", o.out, into)
		}
	}
	// A private conversation is a session of a coding agent, whose report refers to no map.
	if toFile && o.session == "" && o.format == report.FormatMarkdown && !world.IsPrivate(o.conversation) {
		want.Picture = pictureOf(filepath.Base(o.out))
	}
	data, err := f.report(ctx, o.session, want)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if !toFile {
		return asText(p.stdout, o.session != "" || o.format != report.FormatMarkdown, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	if want.Picture != "" { // write the picture first, so that the report never refers to a missing file
		svg, err := f.report(ctx, "", report.Want{Format: report.FormatSVG})
		switch {
		case errors.Is(err, report.ErrNoPicture), errors.Is(err, errAbsent):
		case err != nil:
			return fmt.Errorf("export the map: %w", err)
		default:
			if err := os.WriteFile(filepath.Join(filepath.Dir(o.out), want.Picture), svg, 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(o.out, data, 0o644)
}

// pictureOf returns the file name of the picture that belongs to a report file: "report-map.svg" for "report.md".
func pictureOf(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + "-map.svg"
}

func (f *folder) report(ctx context.Context, session string, want report.Want) ([]byte, error) {
	query := url.Values{"format": {want.Format}}
	if want.Picture != "" {
		query.Set("picture", want.Picture)
	}
	if want.Conversation != "" {
		query.Set("conversation", want.Conversation)
	}
	if session != "" {
		query = url.Values{"session": {session}}
	}
	if !f.held {
		var file *report.File
		var err error
		if session != "" {
			file, err = f.stopped().Session(ctx, session)
		} else {
			file, err = f.stopped().Export(ctx, want, version)
		}
		if err != nil {
			return nil, err
		}
		return file.Data, nil
	}
	body, err := f.askRealm(ctx, "export", query)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(body, maxExport))
	return data, errors.Join(err, body.Close())
}
