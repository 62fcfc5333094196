package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"agentdungeon/server/app"
	"agentdungeon/server/report"
)

// maxExport bounds what is taken from a server, in bytes; a world has at most some
// 10 MB, and a report no more than a few times as much.
const maxExport = 256 << 20

// export writes a realm's report, or a session of its party, to a file or to standard
// output: from the worlds folder, or from the server that has it open.
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
	data, err := f.report(ctx)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if o.out == "" || o.out == "-" {
		return asText(stdout, f.session != "" || f.format != report.FormatMarkdown, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	return os.WriteFile(o.out, data, 0o644)
}

func (f *folder) report(ctx context.Context) ([]byte, error) {
	query := url.Values{"format": {f.format}}
	inFolder := func() (*report.File, error) {
		return app.ExportFolder(ctx, f.fs, f.dir, f.tenant, f.realm, f.format, version)
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
