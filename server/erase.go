package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// eraseTime limits how long the command erase waits. An erasure that has begun and is not complete by then continues
// in the server, or at the realm's next opening.
const eraseTime = 30 * time.Minute

// eraseFlags has the flags of erase.
type eraseFlags struct {
	realmFlags
	conversation, person string
}

// eraseCommand returns the command erase, which erases a conversation, or the words and identity of a person.
// The command prints the receipt once the erased bytes are gone.
func eraseCommand(p *program) *cobra.Command {
	o := &eraseFlags{}
	c := p.command("erase", "erase a conversation, or a person's words and identity", func() error { return p.erase(o) })
	o.define(c)
	o.realmFlag(c, "")
	o.jsonFlag(c)
	o.tokenFlag(c, "the hosts'")
	c.Flags().StringVar(&o.conversation, "conversation", "", "the `id` of a conversation to erase")
	c.Flags().StringVar(&o.person, "person", "", "the `id` (spectatorId) of a person whose words and identity to erase")
	return c
}

func (p *program) erase(o *eraseFlags) error {
	switch {
	case o.realm == "":
		return usageError{errors.New("erase needs -realm")}
	case (o.conversation == "") == (o.person == ""):
		return usageError{errors.New("erase needs either -conversation or -person")}
	case !wire.ValidID(o.conversation + o.person):
		return usageError{fmt.Errorf("%q is not an id", o.conversation+o.person)}
	}
	f, err := o.folder()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), eraseTime)
	defer cancel()
	var receipt world.Receipt
	if f.held {
		receipt, err = f.askErase(ctx, o)
	} else {
		e := world.Erasure{SpectatorID: o.person, Reason: world.ErasedOnRequest, Who: "agentdungeon erase"}
		if o.conversation != "" {
			e.Conversations = []string{o.conversation}
		}
		log, bad := logger(p.stderr, "text", "warn")
		if bad != nil {
			return bad
		}
		receipt, err = f.stopped().Erase(ctx, e, log)
	}
	if err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	err = asText(p.stdout, o.json, func(w io.Writer) error { return printReceipt(w, &receipt, o.json) })
	if err == nil && nothingOf(&receipt) {
		// Not success: a mistyped id would look like an erasure, to a script too.
		return fmt.Errorf("erase: is %s a person's id? agentdungeon conversations -content -realm %s lists ids and names",
			receipt.SpectatorID, receipt.RealmID)
	}
	return err
}

// nothingOf reports whether an erasure of a person has found nothing of the person.
func nothingOf(r *world.Receipt) bool {
	for k := range r.Changed {
		if k != "bases" && k != "files" {
			return false
		}
	}
	return r.SpectatorID != ""
}

func (f *folder) askErase(ctx context.Context, o *eraseFlags) (receipt world.Receipt, err error) {
	raw, err := json.Marshal(&wire.HistoryErase{ConversationID: o.conversation, SpectatorID: o.person})
	if err != nil {
		return receipt, err
	}
	body, err := f.ask(ctx, http.MethodPost, "/api/realms/"+f.realm+"/erase", url.Values{}, bytes.NewReader(raw))
	if err != nil {
		return receipt, err
	}
	err = json.NewDecoder(body).Decode(&receipt)
	return receipt, errors.Join(err, body.Close())
}

// damaged has texts for those keys of Receipt.Changed that count damaged data. The command prints the text instead
// of the key.
var damaged = map[string]string{
	world.UnreadableEvents: "events that could not be read and were removed",
	world.UnreadableRows:   "messages that could not be read and were emptied",
	world.DamagedRows:      "damaged messages that were kept",
}

func printReceipt(w io.Writer, r *world.Receipt, asJSON bool) error {
	if asJSON {
		return writeJSON(w, r)
	}
	if nothingOf(r) {
		_, err := fmt.Fprintf(w, "Nothing of theirs was found in realm %s, and nothing was erased.\n", r.RealmID)
		return err
	}
	what := "conversation " + r.ConversationID
	if r.SpectatorID != "" {
		what = "person " + r.SpectatorID
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "Erased %s of realm %s at %s (erasure %s).\n", what, r.RealmID, r.DoneAt, r.ErasureID)
	keys := slices.Sorted(maps.Keys(r.Changed))
	for _, k := range keys {
		fmt.Fprintf(&out, "  %s: %d\n", cmp.Or(damaged[k], k), r.Changed[k])
	}
	for _, name := range r.Removed {
		fmt.Fprintf(&out, "  removed, which recovery had set aside: %s\n", name)
	}
	fmt.Fprintln(&out, "What may still hold it:")
	for _, s := range r.Unreached {
		fmt.Fprintf(&out, "  - %s\n", s)
	}
	_, err := w.Write(out.Bytes())
	return err
}
