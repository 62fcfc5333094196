package realm

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/watch"
	"agentdungeon/shared/world"
)

// damagedAt is an eraser that finds damage in one of its steps.
type damagedAt struct {
	erasure.Eraser
	step string
}

func (d *damagedAt) met(step string) error {
	if d.step != step {
		return nil
	}
	return fmt.Errorf("%w: a test", world.ErrDamaged)
}

func (d *damagedAt) ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (world.Scope, error) {
	if err := d.met("scope"); err != nil {
		return world.Scope{}, err
	}
	return d.Eraser.ScopeErasure(ctx, e, names, bare)
}

func (d *damagedAt) Redact(ctx context.Context, id string) (world.Redacted, error) {
	if err := d.met("redact"); err != nil {
		return world.Redacted{}, err
	}
	return d.Eraser.Redact(ctx, id)
}

func (d *damagedAt) EndErasure(ctx context.Context, e world.Erasure, r world.Receipt, now func() time.Time) (world.Receipt, error) {
	if err := d.met("end"); err != nil {
		return r, err
	}
	return d.Eraser.EndErasure(ctx, e, r, now)
}

// If an erasure finds damage, the realm is closed and opened again. The person who asked, and asks again, gets the
// receipt; no request stays unanswered (S1-19). P16.3a.
func TestErasureMeetsDamage(t *testing.T) {
	for _, step := range []string{"scope", "redact", "end"} {
		t.Run(step, func(t *testing.T) {
			onDisk(t, cast(quoting), func(d *disk) {
				_, chat, council := d.lived()
				d.stop()
				damaged := make(chan error, 1)
				d.with = func(cfg *Config) {
					cfg.Eraser = &damagedAt{Eraser: cfg.Eraser, step: step}
					cfg.Damaged = func(err error) { damaged <- err }
				}
				d.open(false)
				e := world.Erasure{Conversations: []string{chat}, Reason: world.ErasedOnRequest, Who: "test"}
				told := make(chan error, 1)
				go func() { _, err := d.r.Erase(context.Background(), e); told <- err }()
				select {
				case err := <-damaged:
					if !errors.Is(err, world.ErrDamaged) {
						t.Errorf("it is told %v", err)
					}
				case <-time.After(time.Hour):
					t.Fatal("nobody is told of the damage")
				}
				synctest.Wait()
				d.stop() // as the keeper stops a realm
				if err := <-told; !errors.Is(err, watch.ErrStopped) {
					t.Errorf("who asked is told %v", err)
				}
				d.with = nil
				d.open(false)
				receipt, err := d.r.Erase(context.Background(), e)
				if err != nil || receipt.DoneAt == 0 || receipt.ConversationID != chat {
					t.Errorf("who asks again gets %+v, %v", receipt, err)
				}
				d.gone(t, nil, []string{chatSays}, []string{adaSays, benSays})
				if _, err := d.o.Journal.Conversation(context.Background(), council); err != nil {
					t.Errorf("another conversation: %v", err)
				}
				d.stop()
			})
		})
	}
}
