package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/app"
	"agentdungeon/server/store"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// eraseTime bounds an erasure; what has begun is ended by the next opening.
const eraseTime = 30 * time.Minute

// erase erases a conversation, or one person's words and identity, and returns once the
// bytes are gone, with the receipt.
func erase(args []string, stdout, stderr io.Writer) error {
	o, err := parse("erase", args, stderr)
	if err != nil {
		return err
	}
	switch {
	case o.realm == "":
		return usageError{errors.New("erase needs -realm")}
	case (o.conversation == "") == (o.person == ""):
		return usageError{errors.New("erase needs one of -conversation and -person")}
	case !wire.ValidID(o.conversation + o.person):
		return usageError{fmt.Errorf("%q is not an id", o.conversation+o.person)}
	}
	dir, err := o.worldsFolder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), eraseTime)
	defer cancel()
	fs := afero.NewOsFs()
	holder, held, err := store.ReadLock(fs, dir)
	if err != nil {
		return err
	}
	var receipt world.Receipt
	if held {
		receipt, err = o.askErase(ctx, fs, dir, holder.Address)
	} else {
		e := world.Erasure{SpectatorID: o.person, Reason: world.ErasedOnRequest, Who: "agentdungeon erase"}
		if o.conversation != "" {
			e.Conversations = []string{o.conversation}
		}
		receipt, err = app.EraseInFolder(ctx, fs, dir, o.tenant, o.realm, e)
	}
	if err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	return printReceipt(stdout, &receipt, o.json)
}

func (o *options) askErase(ctx context.Context, fs afero.Fs, dir, addr string) (receipt world.Receipt, err error) {
	raw, err := json.Marshal(&wire.HistoryErase{ConversationID: o.conversation, SpectatorID: o.person})
	if err != nil {
		return receipt, err
	}
	body, err := o.request(ctx, fs, dir, addr, http.MethodPost, "/api/realms/"+o.realm+"/erase", url.Values{}, bytes.NewReader(raw))
	if err != nil {
		return receipt, err
	}
	err = json.NewDecoder(body).Decode(&receipt)
	return receipt, errors.Join(err, body.Close())
}

func printReceipt(w io.Writer, r *world.Receipt, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	what := "conversation " + r.ConversationID
	if r.SpectatorID != "" {
		what = "person " + r.SpectatorID
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "Erased %s of realm %s at %s (erasure %s).\n", what, r.RealmID, r.DoneAt, r.ErasureID)
	keys := make([]string, 0, len(r.Changed))
	for k := range r.Changed {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&out, "  %s: %d\n", k, r.Changed[k])
	}
	fmt.Fprintln(&out, "What may still hold it:")
	for _, s := range r.Unreached {
		fmt.Fprintf(&out, "  - %s\n", s)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// audit lists who changed what in a realm: never what was said.
func audit(args []string, stdout, stderr io.Writer) error {
	o, err := parse("audit", args, stderr)
	if err != nil {
		return err
	}
	since, err := world.ParseSince(o.since, time.Now())
	if err != nil {
		return usageError{fmt.Errorf("-since: %w", err)}
	}
	dir, err := o.worldsFolder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	fs := afero.NewOsFs()
	holder, held, err := store.ReadLock(fs, dir)
	if err != nil {
		return err
	}
	if !held {
		if err := app.AuditInFolder(ctx, fs, dir, o.tenant, o.realm, since, o.json, stdout); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		return nil
	}
	query := url.Values{"format": {"text"}, "since": {since.String()}}
	if o.json {
		query.Set("format", "json")
	}
	body, err := o.ask(ctx, fs, dir, holder.Address, "audit", query)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	_, err = io.Copy(stdout, body)
	return errors.Join(err, body.Close())
}
