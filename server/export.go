package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentdungeon/server/app"
	"agentdungeon/server/report"
)

// maxExport bounds what is taken from a server, in bytes; a world has at most some
// 10 MB, and a report no more than a few times as much.
const maxExport = 256 << 20

// export writes a realm's report, or a session of its party, to a file or to standard
// output: from the worlds folder, or from the server that has it open. Beside a Markdown
// report that is written to a file stands the picture of the map, where there is one.
func export(args []string, stdout, stderr io.Writer) error {
	o, err := parse("export", args, stderr)
	if err != nil {
		return err
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	want := report.Want{Format: f.format}
	toFile := o.out != "" && o.out != "-"
	if toFile && f.session == "" && f.format == report.FormatMarkdown {
		want.Picture = pictureOf(filepath.Base(o.out))
	}
	data, err := f.report(ctx, want)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if !toFile {
		return asText(stdout, f.session != "" || f.format != report.FormatMarkdown, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	if want.Picture != "" { // first, so that what the report refers to is there
		svg, err := f.report(ctx, report.Want{Format: report.FormatSVG})
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

// pictureOf names the picture of a report: "report-map.svg" of "report.md".
func pictureOf(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + "-map.svg"
}

func (f *folder) report(ctx context.Context, want report.Want) ([]byte, error) {
	query := url.Values{"format": {want.Format}}
	if want.Picture != "" {
		query.Set("picture", want.Picture)
	}
	inFolder := func() (*report.File, error) {
		return app.ExportFolder(ctx, f.fs, f.dir, f.tenant, f.realm, want, version)
	}
	if f.session != "" {
		query = url.Values{"session": {f.session}}
		inFolder = func() (*report.File, error) {
			return app.SessionInFolder(ctx, f.fs, f.dir, f.tenant, f.realm, f.session)
		}
	}
	if !f.held {
		file, err := inFolder()
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
